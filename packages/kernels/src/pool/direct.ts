/** Algorithm `direct`: one output element of one channel (nchw) or four (nhwc4) an invocation. */
import type { DispatchPlan, GpuCapabilities, PassBinding } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { directAverageWgsl } from './direct-average.wgsl.ts';
import { directLpWgsl } from './direct-lp.wgsl.ts';
import { directMaxWgsl } from './direct-max.wgsl.ts';
import { poolLabel, poolPlan } from './label.ts';
import { maxIndicesWgsl } from './max-indices.wgsl.ts';
import { isFloat, type PoolElement, type PoolProblem } from './problem.ts';
import { volumeElements } from './volume.ts';
import { windowParams } from './window-taps.wgsl.ts';

export const DIRECT_POOL: Algorithm<PoolProblem> = {
  name: 'direct',
  impossible: ({ src, dst }) =>
    volumeElements(src) === 0 && volumeElements(dst) > 0 ? 'the windows hold padding alone' : undefined,
  reject: () => undefined,
  plan: planDirect,
};

function planDirect(problem: PoolProblem, target: GpuCapabilities): DispatchPlan {
  const { element, indices } = problem;
  return poolPlan(problem, DIRECT_POOL.name, [
    {
      label: poolLabel(problem, DIRECT_POOL.name),
      wgsl: wgslOf(problem),
      bindings: [
        poolBinding('src', 'read', element),
        poolBinding('dst', 'read_write', element),
        ...(indices === undefined ? [] : [{ operand: 'indices', access: 'read_write' } as const]),
      ],
      params: windowParams(problem),
      workgroups: flatWorkgroups(volumeElements(problem.dst), target),
    },
  ]);
}

/** Words of `src` or `dst`: the bits of floats, or whatever bytes hold. */
export function poolBinding(
  operand: 'src' | 'dst',
  access: PassBinding['access'],
  element: PoolElement,
): PassBinding {
  return isFloat(element) ? { operand, access, bits: 'float32' } : { operand, access };
}

function wgslOf(problem: PoolProblem): string {
  switch (problem.operation) {
    case 'average':
      return directAverageWgsl(problem);
    case 'lp':
      return directLpWgsl(problem);
    case 'max':
      return problem.indices === undefined ? directMaxWgsl(problem) : maxIndicesWgsl(problem);
  }
}
