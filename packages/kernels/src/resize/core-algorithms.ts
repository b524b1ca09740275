/** The algorithms of Resize that take images of floats, and any axis by nearest: what the smallest bundle needs. */
import type { Algorithm } from '../shared/algorithm.ts';
import { GATHER_TAPS, MOVE_NEAREST, TWO_TAP } from './gather.ts';
import type { ResizeProblem } from './problem.ts';

/** In the order of `RESIZE_ALGORITHMS`, which has them all. */
export const CORE_RESIZE_ALGORITHMS: readonly Algorithm<ResizeProblem>[] = [
  MOVE_NEAREST,
  TWO_TAP,
  GATHER_TAPS,
];
