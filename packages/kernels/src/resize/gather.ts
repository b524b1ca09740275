/**
 * The algorithms of Resize. `move-nearest` copies words where the result is a plain copy of source elements;
 * `gather-taps` weighs any number of taps along each axis and applies the epilogue, `two-tap` does so for linear.
 */
import type { DispatchPass, DispatchPlan, GpuCapabilities, PlanTable } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { epilogueLabel, spliceEpilogue } from '../shared/epilogue.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { layoutElements } from '../shared/layout.ts';
import { gatherTapsWgsl } from './gather-taps.wgsl.ts';
import { moveNearestWgsl } from './move-nearest.wgsl.ts';
import { type AxisTaps, axisTaps, tapCount } from './plan.ts';
import type { ResizeProblem } from './problem.ts';
import { twoTapWgsl } from './two-tap.wgsl.ts';
import type { ViewSpec } from './view.wgsl.ts';
import type { WeightedSpec } from './weighted.wgsl.ts';

/** Elements along the innermost axis that an invocation makes. */
const ITEMS = 4;

export const MOVE_NEAREST: Algorithm<ResizeProblem> = {
  name: 'move-nearest',
  impossible: (problem) => {
    if (problem.sampling.mode !== 'nearest') return 'the mode is not nearest';
    return epilogueLabel(problem.epilogue) === '' ? undefined : 'there is an epilogue';
  },
  reject: () => undefined,
  plan: (problem, target) =>
    resizePlan(problem, target, {
      algorithm: 'move-nearest',
      wgsl: () => moveNearestWgsl(viewSpec(problem)),
      table: (a, b) => Uint32Array.from([...a.index, ...b.index]),
    }),
};

export const TWO_TAP: Algorithm<ResizeProblem> = {
  name: 'two-tap',
  impossible: (problem) => {
    const widest = Math.max(
      tapCount(problem.axisA, problem.sampling),
      tapCount(problem.axisB, problem.sampling),
    );
    return widest > 2 ? `an axis has ${widest} taps` : refuseBias(problem);
  },
  reject: () => undefined,
  plan: (problem, target) =>
    resizePlan(problem, target, {
      algorithm: 'two-tap',
      wgsl: (a, b) => twoTapWgsl(tapSpec(problem, a, b)),
      table: (a, b) => interleave([a, b]),
    }),
};

export const GATHER_TAPS: Algorithm<ResizeProblem> = {
  name: 'gather-taps',
  impossible: refuseBias,
  reject: () => undefined,
  plan: (problem, target) =>
    resizePlan(problem, target, {
      algorithm: 'gather-taps',
      wgsl: (a, b) => gatherTapsWgsl(tapSpec(problem, a, b)),
      table: (a, b) => interleave([a, b]),
    }),
};

function refuseBias(problem: ResizeProblem): string | undefined {
  return problem.epilogue.bias ? 'a bias is not built' : undefined;
}

function tapSpec(problem: ResizeProblem, a: AxisTaps, b: AxisTaps): WeightedSpec {
  return {
    ...viewSpec(problem),
    channels: problem.srcDims[1] ?? 1,
    tapsA: a.taps,
    tapsB: b.taps,
    epilogue: problem.epilogue,
  };
}

interface GatherParts {
  readonly algorithm: string;
  wgsl(a: AxisTaps, b: AxisTaps): string;
  table(a: AxisTaps, b: AxisTaps): Uint32Array;
}

function resizePlan(problem: ResizeProblem, target: GpuCapabilities, parts: GatherParts): DispatchPlan {
  const { axisA, axisB, sampling, outer, mid, inner, layout } = problem;
  const a = axisTaps(axisA, sampling);
  const b = axisTaps(axisB, sampling);
  const { items } = viewSpec(problem);
  const total = outer * axisA.output * mid * axisB.output * Math.ceil(inner / items);
  const operands = spliceEpilogue(problem.epilogue, 'f32', 3);
  const epilogue = epilogueLabel(problem.epilogue);
  const label = `resize/${parts.algorithm}/f32/${sampling.mode}-${layout}${epilogue === '' ? '' : `/${epilogue}`}`;
  const pass: DispatchPass = {
    label,
    wgsl: parts.wgsl(a, b),
    bindings: [
      { operand: 'src', access: 'read' },
      { operand: 'taps', access: 'read' },
      { operand: 'dst', access: 'read_write' },
      ...operands.bindings,
    ],
    params: Uint32Array.of(
      total,
      axisA.input,
      axisB.input,
      axisA.output,
      axisB.output,
      axisA.output * a.taps,
      0,
      0,
    ),
    workgroups: flatWorkgroups(total, target),
  };
  const table: PlanTable = { operand: 'taps', data: parts.table(a, b) };
  const outputs = layoutElements(problem.dstDims, layout);
  return {
    operator: 'resize',
    algorithm: parts.algorithm,
    label,
    passes: [pass],
    scratch: [],
    tables: [table, ...operands.tables],
    packing: [],
    cost: {
      flops: sampling.mode === 'nearest' ? 0 : 2 * outputs * (a.taps * b.taps + a.taps),
      bytes: 4 * (layoutElements(problem.srcDims, layout) + outputs),
    },
  };
}

function viewSpec(problem: ResizeProblem): ViewSpec {
  const inner = Math.max(problem.inner, 1);
  return { lanes: problem.lanes, mid: Math.max(problem.mid, 1), inner, items: Math.min(inner, ITEMS) };
}

/** (source position, weight bits) of every tap, one axis after the other. */
function interleave(axes: readonly AxisTaps[]): Uint32Array {
  const words = axes.reduce((total, axis) => total + 2 * axis.index.length, 0);
  const table = new Uint32Array(words);
  let at = 0;
  for (const { index, weight } of axes) {
    const bits = new Uint32Array(weight.buffer);
    for (let tap = 0; tap < index.length; tap++) {
      table[at++] = index[tap] ?? 0;
      table[at++] = bits[tap] ?? 0;
    }
  }
  return table;
}
