/**
 * The algorithms of Resize for one or two axes. `move-nearest` copies words where the result is a plain copy of source
 * elements; `gather-taps` weighs the taps along each axis and applies the epilogue, `two-tap` does so for linear.
 */
import type { DispatchPass, DispatchPlan, GpuCapabilities, PlanTable } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { epilogueLabel, spliceEpilogue } from '../shared/epilogue.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { layoutElements } from '../shared/layout.ts';
import { elementLabel, isWide } from './element.ts';
import { gatherTapsWgsl } from './gather-taps.wgsl.ts';
import { moveNearestWgsl } from './move-nearest.wgsl.ts';
import { type AxisTaps, axisTaps, tapCount } from './plan.ts';
import { type PlaneView, planeView } from './plane-view.ts';
import type { ResizeProblem } from './problem.ts';
import { positionTable, weightedTable } from './tap-table.ts';
import { twoTapWgsl } from './two-tap.wgsl.ts';
import type { ViewSpec } from './view.wgsl.ts';
import type { WeightedSpec } from './weighted.wgsl.ts';

/** Elements along the innermost axis that an invocation makes. */
const ITEMS = 4;

/** Most taps that one chain of additions takes. */
const MOST_TAPS = 256;

export const MOVE_NEAREST: Algorithm<ResizeProblem> = {
  name: 'move-nearest',
  impossible: (problem) => {
    if (problem.sampling.mode !== 'nearest') return 'the mode is not nearest';
    if (epilogueLabel(problem.epilogue) !== '') return 'there is an epilogue';
    if (isWide(problem.element)) return `${problem.element} is two words`;
    const view = planeView(problem);
    return typeof view === 'string' ? view : undefined;
  },
  reject: () => undefined,
  plan: (problem, target) =>
    resizePlan(problem, target, {
      algorithm: 'move-nearest',
      wgsl: (view) => moveNearestWgsl(viewSpec(view)),
      table: positionTable,
    }),
};

export const TWO_TAP: Algorithm<ResizeProblem> = {
  name: 'two-tap',
  impossible: (problem) => refuseWeighted(problem, 2),
  reject: () => undefined,
  plan: (problem, target) =>
    resizePlan(problem, target, {
      algorithm: 'two-tap',
      wgsl: (view, a, b) => twoTapWgsl(tapSpec(problem, view, a, b)),
      table: weightedTable,
    }),
};

export const GATHER_TAPS: Algorithm<ResizeProblem> = {
  name: 'gather-taps',
  impossible: (problem) => refuseWeighted(problem, MOST_TAPS),
  reject: () => undefined,
  plan: (problem, target) =>
    resizePlan(problem, target, {
      algorithm: 'gather-taps',
      wgsl: (view, a, b) => gatherTapsWgsl(tapSpec(problem, view, a, b)),
      table: weightedTable,
    }),
};

function refuseWeighted(problem: ResizeProblem, most: number): string | undefined {
  if (problem.element !== 'float32') return `it weighs float32, not ${problem.element}`;
  if (problem.epilogue.bias) return 'a bias is not built';
  const view = planeView(problem);
  if (typeof view === 'string') return view;
  const widest = Math.max(tapCount(view.axisA, problem.sampling), tapCount(view.axisB, problem.sampling));
  return widest > most ? `an axis has ${widest} taps` : undefined;
}

function tapSpec(problem: ResizeProblem, view: PlaneView, a: AxisTaps, b: AxisTaps): WeightedSpec {
  return {
    ...viewSpec(view),
    channels: problem.srcDims[1] ?? 1,
    tapsA: a.taps,
    tapsB: b.taps,
    epilogue: problem.epilogue,
  };
}

interface GatherParts {
  readonly algorithm: string;
  wgsl(view: PlaneView, a: AxisTaps, b: AxisTaps): string;
  table(axes: readonly AxisTaps[]): Uint32Array;
}

function resizePlan(problem: ResizeProblem, target: GpuCapabilities, parts: GatherParts): DispatchPlan {
  const view = planeView(problem);
  if (typeof view === 'string') throw new Error(`${parts.algorithm}: ${view}`);
  const { axisA, axisB, outer, mid, inner } = view;
  const { sampling, layout, element } = problem;
  const a = axisTaps(axisA, sampling);
  const b = axisTaps(axisB, sampling);
  const { items } = viewSpec(view);
  const total = outer * axisA.output * mid * axisB.output * Math.ceil(inner / items);
  const operands = spliceEpilogue(problem.epilogue, 'f32', 3);
  const epilogue = epilogueLabel(problem.epilogue);
  const label = `resize/${parts.algorithm}/${elementLabel(element)}/${sampling.mode}-${layout}${epilogue === '' ? '' : `/${epilogue}`}`;
  const pass: DispatchPass = {
    label,
    wgsl: parts.wgsl(view, a, b),
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
  const table: PlanTable = { operand: 'taps', data: parts.table([a, b]) };
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

function viewSpec(view: PlaneView): ViewSpec {
  const inner = Math.max(view.inner, 1);
  return { lanes: view.lanes, mid: Math.max(view.mid, 1), inner, items: Math.min(inner, ITEMS) };
}
