/**
 * Algorithm `whole-map`: a window that covers the whole unpadded input is a reduction over the spatial axes, which
 * spreads one output over many invocations. Exporters write the last pooling of a classifier this way.
 */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { planReduce } from '../reduce/select.ts';
import type { Algorithm, KernelOptions } from '../shared/algorithm.ts';
import type { AxisWindow } from '../shared/conv-geometry.ts';
import { poolCost, poolLabel } from './label.ts';
import { isFloat, makeGlobalPoolProblem, type PoolProblem } from './problem.ts';

export const WHOLE_MAP: Algorithm<PoolProblem> = {
  name: 'whole-map',
  impossible,
  reject: () => undefined,
  plan: planWholeMap,
};

function impossible(problem: PoolProblem): string | undefined {
  if (![problem.depth, problem.height, problem.width].every(coversInput)) {
    return 'the window does not cover the whole unpadded input';
  }
  if (!isFloat(problem.element)) return `reductions take no ${problem.element}`;
  return problem.indices === undefined ? undefined : 'a reduction gives no indices';
}

function coversInput(axis: AxisWindow): boolean {
  return (
    axis.kernel === axis.input &&
    axis.dilation === 1 &&
    axis.padBegin + axis.padEnd === 0 &&
    axis.output === 1
  );
}

function planWholeMap(problem: PoolProblem, target: GpuCapabilities, options: KernelOptions): DispatchPlan {
  const { operation, srcDims, layout, element, power } = problem;
  const global = makeGlobalPoolProblem({
    operation,
    dims: srcDims,
    layout,
    power,
    ...(element === 'float16' ? { element } : {}),
  });
  const { plan } = planReduce(global, target, { mode: options.mode });
  return {
    ...plan,
    operator: `${operation}-pool`,
    algorithm: WHOLE_MAP.name,
    label: poolLabel(problem, WHOLE_MAP.name),
    cost: poolCost(problem),
  };
}
