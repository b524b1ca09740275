/** Algorithm `mark-and-gather`: a mark for every output, then one fetch; takes everything, bits unchanged. */
import type { DispatchPass, DispatchPlan, GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { elementCount } from '../shared/layout.ts';
import { CLEAR_MARKS_WGSL, GATHER_MARKED_WGSL, MARK_WGSL } from './mark-and-gather.wgsl.ts';
import type { MaxUnpoolProblem } from './problem.ts';

export const MARK_AND_GATHER: Algorithm<MaxUnpoolProblem> = {
  name: 'mark-and-gather',
  impossible: () => undefined,
  reject: () => undefined,
  plan: planMarkAndGather,
};

/** The moved element's type is not known here: 32-bit patterns, whatever narrower type lies below them. */
const LABEL = `max-unpool/${MARK_AND_GATHER.name}/u32`;

function planMarkAndGather(problem: MaxUnpoolProblem, target: GpuCapabilities): DispatchPlan {
  const { sources, outputs } = problem;
  const all = { params: Uint32Array.of(outputs, 0, 0, 0), workgroups: flatWorkgroups(outputs, target) };
  return {
    operator: 'max-unpool',
    algorithm: MARK_AND_GATHER.name,
    label: LABEL,
    passes: [
      {
        label: `${LABEL}/clear`,
        wgsl: CLEAR_MARKS_WGSL,
        bindings: [{ operand: 'marks', access: 'read_write' }],
        ...all,
      },
      markPass(problem, target),
      {
        label: LABEL,
        wgsl: GATHER_MARKED_WGSL,
        bindings: [
          { operand: 'src', access: 'read' },
          { operand: 'marks', access: 'read' },
          { operand: 'dst', access: 'read_write' },
        ],
        ...all,
      },
    ],
    scratch: [{ operand: 'marks', bytes: Math.max(4 * outputs, 16) }],
    tables: [],
    packing: [],
    cost: { flops: 0, bytes: 12 * sources + 4 * outputs },
  };
}

function markPass(problem: MaxUnpoolProblem, target: GpuCapabilities): DispatchPass {
  const { innerDims, dstDims, sources, outputs } = problem;
  const total = outputs === 0 ? 0 : sources;
  return {
    label: `${LABEL}/mark`,
    wgsl: MARK_WGSL,
    bindings: [
      { operand: 'indices', access: 'read' },
      { operand: 'marks', access: 'read_write' },
    ],
    params: Uint32Array.of(total, elementCount(innerDims), ...volume(innerDims), ...volume(dstDims)),
    workgroups: flatWorkgroups(total, target),
  };
}

/** Depth, height and width; absent axes are 1. */
function volume(dims: readonly number[]): readonly number[] {
  return [1, 1, ...dims.slice(2)].slice(-3);
}
