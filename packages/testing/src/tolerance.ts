/** Tolerances of tests: those of sums come from the one derived function, which the kernels' package holds. */
export { type SumTolerance, sumTolerance, UNIT_ROUNDOFF } from '@onegpu/kernels';

/**
 * Largest scaled difference of a whole network from onnxruntime's CPU. Neither side is exact: onnxruntime's own
 * optimised and unoptimised runs of these networks differ by up to 1.6e-5. Real detection weights amplify more,
 * and end in a sigmoid.
 */
export const WHOLE_MODEL_TOLERANCE = { generatedWeights: 2e-5, realWeights: 1e-4 } as const;
