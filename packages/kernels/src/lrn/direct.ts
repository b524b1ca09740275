/** Algorithm `direct`: every invocation adds the squares of its own window. */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { layoutElements } from '../shared/layout.ts';
import { paramsBlock } from '../shared/params-block.ts';
import { lrnChannelsLastWgsl, lrnParams, lrnPlanarWgsl } from './direct.wgsl.ts';
import type { LrnProblem } from './problem.ts';

export const DIRECT_LRN: Algorithm<LrnProblem> = {
  name: 'direct',
  impossible: () => undefined,
  reject: () => undefined,
  plan: planDirect,
};

function planDirect(problem: LrnProblem, target: GpuCapabilities): DispatchPlan {
  const { layout, dims, size } = problem;
  const stored = layoutElements(dims, layout);
  const total = layout === 'nhwc4' ? stored / 4 : stored;
  const label = `lrn/${DIRECT_LRN.name}/f32/${size}/${layout}`;
  return {
    operator: 'lrn',
    algorithm: DIRECT_LRN.name,
    label,
    passes: [
      {
        label,
        wgsl: layout === 'nhwc4' ? lrnChannelsLastWgsl(problem) : lrnPlanarWgsl(problem),
        bindings: [
          { operand: 'src', access: 'read' },
          { operand: 'dst', access: 'read_write' },
        ],
        params: paramsBlock(lrnParams(problem, total)),
        workgroups: flatWorkgroups(total, target),
      },
    ],
    scratch: [],
    tables: [],
    packing: [],
    cost: { flops: stored * (2 * size + 16), bytes: 8 * stored },
  };
}
