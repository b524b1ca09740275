/** Algorithms of quantisation in both directions. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { DIRECT_DEQUANTIZE, DIRECT_QUANTIZE } from './direct.ts';
import type { DequantizeProblem, QuantizeProblem } from './problem.ts';

export const QUANTIZE_ALGORITHMS: readonly Algorithm<QuantizeProblem>[] = [DIRECT_QUANTIZE];
export const DEQUANTIZE_ALGORITHMS: readonly Algorithm<DequantizeProblem>[] = [DIRECT_DEQUANTIZE];

/** Operands `src`, `scale`, `zeroPoint` where there is one, and `dst`. */
export function planQuantize(
  problem: QuantizeProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('QuantizeLinear', QUANTIZE_ALGORITHMS, problem, target, options);
}

/** Operands `src`, `scale`, `zeroPoint` where there is one, and `dst` (float). */
export function planDequantize(
  problem: DequantizeProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('DequantizeLinear', DEQUANTIZE_ALGORITHMS, problem, target, options);
}
