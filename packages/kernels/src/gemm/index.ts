/** Gemm and MatMul. */
export * from './cases.ts';
export * from './problem.ts';
export { GEMM_ALGORITHMS, selectGemm } from './select.ts';
