/** Parts of a pooling plan that all algorithms share. */
import type { DispatchPlan, PlanCost } from '@onegpu/core';
import type { AxisWindow } from '../shared/conv-geometry.ts';
import { layoutElements } from '../shared/layout.ts';
import type { PoolElement, PoolProblem } from './problem.ts';

/** float16 is put below a float32 plan, which renames it. */
const SHORT: Readonly<Record<PoolElement, string>> = {
  float32: 'f32',
  float16: 'f32',
  int8: 'i8',
  uint8: 'u8',
};
const BYTES: Readonly<Record<PoolElement, number>> = { float32: 4, float16: 2, int8: 1, uint8: 1 };

/** `max-pool/direct/f32/3x3s2x2/nhwc4`. */
export function poolLabel(problem: PoolProblem, algorithm: string): string {
  const { operation, element, layout, srcDims, depth, height, width } = problem;
  const axes = srcDims.length === 5 ? [depth, height, width] : [height, width];
  const list = (of: (axis: AxisWindow) => number): string => axes.map(of).join('x');
  const tile = `${list((axis) => axis.kernel)}s${list((axis) => axis.stride)}`;
  return `${operation}-pool/${algorithm}/${SHORT[element]}/${tile}/${layout}`;
}

export function poolCost(problem: PoolProblem): PlanCost {
  const { depth, height, width, element, indices } = problem;
  const outputs = layoutElements(problem.dstDims, problem.layout);
  const inputs = layoutElements(problem.srcDims, problem.layout);
  return {
    flops: outputs * depth.kernel * height.kernel * width.kernel,
    bytes: BYTES[element] * (inputs + outputs) + (indices === undefined ? 0 : 8 * outputs),
  };
}

/** The plan of these passes, without scratch or tables. */
export function poolPlan(
  problem: PoolProblem,
  algorithm: string,
  passes: DispatchPlan['passes'],
): DispatchPlan {
  return {
    operator: `${problem.operation}-pool`,
    algorithm,
    label: poolLabel(problem, algorithm),
    passes,
    scratch: [],
    tables: [],
    packing: [],
    cost: poolCost(problem),
  };
}
