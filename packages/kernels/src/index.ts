// biome-ignore-all assist/source/organizeImports: alike kernels stand together. Bundles follow this order, and gzip finds
// again only what lies less than 32 KB back (`npm run size`).

// Along an axis
export * from './max-unpool/index.ts';
export * from './softmax/index.ts';
export * from './lrn/index.ts';
export * from './normalization/index.ts';

// Element by element
export * from './map/index.ts';
export * from './unary/index.ts';
export * from './binary/index.ts';

// Rows, slices and windows
export * from './reduce/index.ts';
export * from './gather/index.ts';
export * from './move/index.ts';
export * from './pool/index.ts';

// Products of matrices, of bytes first
export * from './quantize/index.ts';
export * from './qlinear/index.ts';
export * from './matmul-integer/index.ts';
export * from './gemm/index.ts';

// Convolutions
export * from './expand-depthwise/index.ts';
export * from './conv/index.ts';
export * from './conv-integer/index.ts';
export * from './volume-conv/index.ts';
export * from './deform-conv/index.ts';
export * from './volume-conv-transpose/index.ts';
export * from './conv-transpose/index.ts';
export * from './conv-transpose-pair/index.ts';

// Maps as a whole
export * from './resize/index.ts';
export * from './merge-maps/index.ts';
export * from './squeeze-excite/index.ts';

// No nodes of a model
export * from './image-input/index.ts';

// Results in float64, and what kernels share
export * from './reference/index.ts';
export * from './shared/activation.ts';
export * from './shared/algorithm.ts';
export { broadcastDims } from './shared/broadcast.ts';
export * from './shared/conv-geometry.ts';
export * from './shared/epilogue.ts';
export * from './shared/layout.ts';
export * from './shared/misfit.ts';
export * from './shared/quantized-type.ts';
export * from './shared/tolerance.ts';
export * from './shared/tunable-layer.ts';
