/** Two transposed convolutions with kernel = stride as one dispatch. */
export { planConvTransposePair } from './plan.ts';
export * from './problem.ts';
