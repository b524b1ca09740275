export * from './gemm/index.ts';
export * from './pool/index.ts';
export * from './reduce/index.ts';
export * from './shared/activation.ts';
export * from './shared/algorithm.ts';
export * from './shared/conv-geometry.ts';
export * from './shared/epilogue.ts';
export * from './shared/layout.ts';
