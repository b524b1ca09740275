export * from './core-algorithms.ts';
export * from './problem.ts';
export * from './select.ts';
