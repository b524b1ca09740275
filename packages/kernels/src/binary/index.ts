export * from './cases.ts';
export { BINARY_FUNCTIONS, type BinaryFunction } from './functions.wgsl.ts';
export * from './problem.ts';
export { BINARY_ALGORITHMS, selectBinary } from './select.ts';
