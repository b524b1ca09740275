/** Transposed convolution. */
export * from './cases.ts';
export * from './core-algorithms.ts';
export * from './layouts.ts';
export * from './problem.ts';
export { CONV_TRANSPOSE_ALGORITHMS, selectConvTranspose } from './select.ts';
