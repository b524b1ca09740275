/**
 * Algorithms of Resize, in order of preference; `move-axes` and `gather-axes` take any number of axes,
 * `gather-integers` weighs integers.
 */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { GATHER_AXES, MOVE_AXES } from './axes.ts';
import { GATHER_TAPS, MOVE_NEAREST, TWO_TAP } from './gather.ts';
import { GATHER_INTEGERS } from './integers.ts';
import type { ResizeProblem } from './problem.ts';

export const RESIZE_ALGORITHMS: readonly Algorithm<ResizeProblem>[] = [
  MOVE_NEAREST,
  MOVE_AXES,
  TWO_TAP,
  GATHER_TAPS,
  GATHER_AXES,
  GATHER_INTEGERS,
];

/** Operands `src`, `dst` and, where the epilogue adds one, `residual`, in the problem's layout. */
export function planResize(
  problem: ResizeProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('Resize', RESIZE_ALGORITHMS, problem, target, options);
}
