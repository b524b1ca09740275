/** Every operator in float64 on the host: what kernels are tested against, and models by `onegpu verify`. */
export * from './activation.ts';
export * from './binary.ts';
export * from './conv.ts';
export * from './conv-integer.ts';
export * from './conv-transpose.ts';
export * from './deform-conv.ts';
export * from './gemm.ts';
export * from './lrn.ts';
export * from './matmul-integer.ts';
export * from './normalization.ts';
export * from './pool.ts';
export * from './quantize.ts';
export * from './reduce.ts';
export * from './resize.ts';
export * from './softmax.ts';
export * from './sums.ts';
export * from './volume-conv.ts';
