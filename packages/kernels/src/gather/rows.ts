/** Plan of a gather: one element of the result a position. */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { elementwiseWorkgroups, itemsPerInvocation, paramsWords } from '../shared/elementwise.ts';
import { elementCount } from '../shared/layout.ts';
import type { GatherRowsProblem } from './problem.ts';
import { gatherRowsWgsl } from './rows.wgsl.ts';

export const GATHER_ROWS: Algorithm<GatherRowsProblem> = {
  name: 'rows',
  impossible: () => undefined,
  reject: () => undefined,
  plan,
};

function plan(problem: GatherRowsProblem, target: GpuCapabilities): DispatchPlan {
  const { element, index, indices, inner, extent } = problem;
  const count = elementCount(problem.dims);
  const label = `gather/rows/${element === 'u32' ? 'u32' : 'u64'}/${index}`;
  const bytes = element === 'u32' ? 4 : 8;
  return {
    operator: 'gather',
    algorithm: 'rows',
    label,
    passes: [
      {
        label,
        wgsl: gatherRowsWgsl({ element, index, items: itemsPerInvocation(target) }),
        bindings: [
          { operand: 'src', access: 'read' },
          { operand: 'index', access: 'read' },
          { operand: 'dst', access: 'read_write' },
        ],
        params: paramsWords(count, [indices, inner, extent]),
        workgroups: elementwiseWorkgroups(count, target),
      },
    ],
    scratch: [],
    tables: [],
    packing: [],
    cost: { flops: 0, bytes: 2 * count * bytes + indices * (index === 'i32' ? 4 : 8) },
  };
}
