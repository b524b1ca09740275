/** Label and cost of a pooling plan. */
import type { PlanCost } from '@onegpu/core';
import { layoutElements } from '../shared/layout.ts';
import type { PoolProblem } from './problem.ts';

/** `max-pool/direct/f32/3x3s2x2/nhwc4`. */
export function poolLabel(problem: PoolProblem, algorithm: string): string {
  const { operation, height, width, layout } = problem;
  const tile = `${height.kernel}x${width.kernel}s${height.stride}x${width.stride}`;
  return `${operation}-pool/${algorithm}/f32/${tile}/${layout}`;
}

export function poolCost(problem: PoolProblem): PlanCost {
  const outputs = layoutElements(problem.dstDims, problem.layout);
  const inputs = layoutElements(problem.srcDims, problem.layout);
  return { flops: outputs * problem.height.kernel * problem.width.kernel, bytes: 4 * (inputs + outputs) };
}
