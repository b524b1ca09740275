/** Algorithm `workgroup-fold`: the mean, sum or extreme of a picture's pixels, one workgroup for 64 channels. */
import { type DispatchPlan, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { hardwareOnly } from '../shared/hardware-only.ts';
import { type FoldOperation, foldText } from './operations.ts';
import type { ReduceOperation, ReduceProblem } from './problem.ts';
import { FOLD_COLUMNS, MOST_FOLD_TERMS, workgroupFoldWgsl } from './workgroup-fold.wgsl.ts';

const NAME = 'workgroup-fold';

/** With fewer terms, one invocation has all its loads under way at once. */
const LEAST_TERMS = 32;
/** Results whose invocations keep a large GPU busy without slices. */
const MOST_RESULTS = 16384;

export const WORKGROUP_FOLD: Algorithm<ReduceProblem> = {
  name: NAME,
  impossible: (problem) => impossible(problem),
  reject: ({ groups, outputs }, target) => {
    const unsuited = hardwareOnly(target);
    if (unsuited !== undefined) return unsuited;
    const [{ extent } = { extent: 0 }] = groups;
    if (extent < LEAST_TERMS) return `${extent} terms are few enough for one invocation`;
    return outputs > MOST_RESULTS ? `${outputs} results keep the device busy` : undefined;
  },
  plan: planWorkgroupFold,
};

function impossible({ operation, lanes, groups, count }: ReduceProblem): string | undefined {
  if (!isFold(operation)) return `${operation} has a kernel of its own`;
  const [group] = groups;
  if (lanes !== 4 || group === undefined || groups.length !== 1) return 'written for the pixels of nhwc4';
  if (count === 0) return 'there are no terms to fold';
  return group.extent > MOST_FOLD_TERMS
    ? `${group.extent} terms, a workgroup folds ${MOST_FOLD_TERMS}`
    : undefined;
}

function isFold(operation: ReduceOperation): operation is FoldOperation {
  return operation !== 'l2' && operation !== 'lp' && operation !== 'log-sum-exp';
}

function planWorkgroupFold(problem: ReduceProblem, target: GpuCapabilities): DispatchPlan {
  const { operation, layout, outputs, count, lanes } = problem;
  const [group] = problem.groups;
  if (!isFold(operation) || group === undefined) throw new RangeError('planned what is impossible');
  const { outer, extent, inner } = group;
  const label = `reduce-${operation}/${NAME}/f32/${layout}`;
  const elements = outputs * count * lanes;
  const workgroups = outer * Math.ceil(inner / FOLD_COLUMNS);
  return {
    ...{ operator: `reduce-${operation}`, algorithm: NAME, label, scratch: [], tables: [], packing: [] },
    passes: [
      {
        label,
        wgsl: workgroupFoldWgsl(foldText(operation, problem, { first: true, last: true })),
        bindings: [
          { operand: 'src', access: 'read', bits: 'float32' },
          { operand: 'dst', access: 'read_write', bits: 'float32' },
        ],
        params: Uint32Array.of(outer, extent, inner, count),
        workgroups: foldWorkgroups(workgroups, target.limits.maxComputeWorkgroupsPerDimension),
      },
    ],
    cost: { flops: elements, bytes: 4 * (elements + outputs * lanes) },
  };
}
