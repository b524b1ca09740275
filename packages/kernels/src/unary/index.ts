export * from './cases.ts';
export * from './problem.ts';
export { selectUnary, UNARY_ALGORITHMS } from './select.ts';
