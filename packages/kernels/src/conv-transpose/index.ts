/** Transposed convolution. */
export * from './cases.ts';
export * from './problem.ts';
export {
  CONV_TRANSPOSE_ALGORITHMS,
  CORE_CONV_TRANSPOSE_ALGORITHMS,
  convTransposeDstLayout,
  preferredConvTransposeLayout,
  selectConvTranspose,
} from './select.ts';
