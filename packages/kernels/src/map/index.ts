export * from './cases.ts';
export { type MapElement, mapElementBytes } from './element.ts';
export type { Comparison, FloatTest, MapFunction } from './functions.wgsl.ts';
export * from './problem.ts';
export * from './select.ts';
