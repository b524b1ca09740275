export * from './problem.ts';
export * from './select.ts';
