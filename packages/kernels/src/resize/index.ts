export { RESIZE_CASES } from './cases.ts';
export { CORE_RESIZE_ALGORITHMS } from './core-algorithms.ts';
export type { ResizeElement } from './element.ts';
export { elementWords, isInteger, toInteger } from './element.ts';
export type { AxisTaps, CoordinateMode, NearestMode, ResizeAxis, ResizeMode, Sampling } from './plan.ts';
export {
  type AspectRatioPolicy,
  DEFAULT_SAMPLING,
  makeResizeProblem,
  type ResizeProblem,
  type ResizeRequest,
} from './problem.ts';
export {
  type ResizeOperands,
  ResizePlan,
  type ResizePlanRequest,
  type ResizePlanType,
} from './resize-plan.ts';
export { planResize, RESIZE_ALGORITHMS } from './select.ts';
