/** Two transposed convolutions with kernel = stride as one dispatch. */
export { CONV_TRANSPOSE_PAIR_ALGORITHMS, planConvTransposePair } from './plan.ts';
export * from './problem.ts';
