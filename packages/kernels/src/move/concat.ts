/**
 * Concatenation. The result is [outer, run] with the inputs' runs side by side in each row: everything before the
 * axis is outer, the axis and what follows is the run. In `nhwc4` the axis is the channels, every input has a
 * multiple of four of them, and a row is a pixel of whole vec4. A pass takes as many inputs as may be bound at once.
 */
import type { DispatchPass, DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { elementwiseWorkgroups, itemsPerInvocation, paramsWords } from '../shared/elementwise.ts';
import { elementCount, type Layout } from '../shared/layout.ts';
import { misfit, resolveAxis } from '../shared/misfit.ts';
import { concatWgsl } from './concat.wgsl.ts';
import { elementLabel } from './strided.ts';
import type { MoveElement } from './view.ts';

export interface ConcatProblem {
  readonly dims: readonly number[];
  readonly layout: Layout;
  /** Rows of the result. */
  readonly outer: number;
  /** Elements (`nchw`) or vec4 (`nhwc4`) of each input in a row; zero for an empty input. */
  readonly runs: readonly number[];
}

/** @throws GpuKernelShapeError for no input, an axis out of range, extents that differ off the axis. */
export function makeConcatProblem(request: {
  readonly inputs: readonly (readonly number[])[];
  readonly axis: number;
  readonly layout: Layout;
}): ConcatProblem {
  const { inputs, layout } = request;
  const [first] = inputs;
  if (first === undefined) throw misfit('concat', 'inputs', 'none', 'at least one');
  const axis = resolveAxis('concat', request.axis, first.length);
  for (const dims of inputs) {
    const fits = dims.length === first.length && dims.every((e, at) => at === axis || e === first[at]);
    if (!fits) throw misfit('concat', 'inputs', dims, `[${first.join(', ')}] off axis ${axis}`);
  }
  const total = inputs.reduce((sum, dims) => sum + (dims[axis] ?? 0), 0);
  const dims = first.map((extent, at) => (at === axis ? total : extent));
  if (layout === 'nhwc4') return channelConcat(inputs, dims, axis);
  return {
    dims,
    layout,
    outer: elementCount(first.slice(0, axis)),
    runs: inputs.map((input) => elementCount(input.slice(axis))),
  };
}

function channelConcat(
  inputs: readonly (readonly number[])[],
  dims: readonly number[],
  axis: number,
): ConcatProblem {
  const whole = inputs.every((input) => (input[1] ?? 0) % 4 === 0);
  if (axis !== 1 || !whole) {
    const channels = inputs.map((input) => input[1]).join(' + ');
    throw misfit(
      'concat',
      'layout',
      `axis ${axis}, ${channels} channels`,
      'multiples of 4 on axis 1 for nhwc4',
    );
  }
  const [batch = 1, , ...spatial] = dims;
  return {
    dims,
    layout: 'nhwc4',
    outer: batch * elementCount(spatial),
    runs: inputs.map((input) => (input[1] ?? 0) / 4),
  };
}

/** Operands `src0`, `src1`, ... and `dst`; empty inputs are not bound. Pairs of words lie in `nchw` only. */
export function planConcat(
  problem: ConcatProblem,
  target: GpuCapabilities,
  element: MoveElement = 'u32',
): DispatchPlan {
  const { outer, runs, layout } = problem;
  const total = runs.reduce((sum, run) => sum + run, 0);
  const label = `concat/runs/${elementLabel(element)}/${layout}`;
  const present = runs.flatMap((run, input) => (run === 0 ? [] : [{ input, run }]));
  const each = target.limits.maxStorageBuffersPerShaderStage - 1;
  const passes: DispatchPass[] = [];
  let start = 0;
  for (let from = 0; from < present.length; from += each) {
    const part = present.slice(from, from + each);
    const row = part.reduce((sum, { run }) => sum + run, 0);
    passes.push({
      label,
      wgsl: concatWgsl({
        inputs: part.length,
        type: layout === 'nhwc4' ? 'vec4u' : element,
        items: itemsPerInvocation(target),
      }),
      bindings: [
        ...part.map(({ input }) => ({ operand: `src${input}`, access: 'read' }) as const),
        { operand: 'dst', access: 'read_write' },
      ],
      params: paramsWords(outer * row, [row, total, start, ...part.map(({ run }) => run)]),
      workgroups: elementwiseWorkgroups(outer * row, target),
    });
    start += row;
  }
  const bytes = outer * total * (layout === 'nhwc4' ? 16 : element === 'u32' ? 4 : 8) * 2;
  return {
    operator: 'concat',
    algorithm: 'runs',
    label,
    passes,
    scratch: [],
    tables: [],
    packing: [],
    cost: { flops: 0, bytes },
  };
}
