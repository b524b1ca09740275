export * from './cases.ts';
export * from './problem.ts';
export * from './select.ts';
