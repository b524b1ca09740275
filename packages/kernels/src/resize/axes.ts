/**
 * The algorithms of Resize that take any number of axes and positions outside the source: `move-axes` copies words for
 * nearest, `gather-axes` weighs taps.
 */
import type { DispatchPass, DispatchPlan, GpuCapabilities, PassBinding, PlanTable } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { type EpilogueSplice, epilogueLabel, spliceEpilogue } from '../shared/epilogue.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { layoutElements } from '../shared/layout.ts';
import { type AxesView, axesView, viewTotal } from './axes-view.ts';
import { axesParams } from './axes-view.wgsl.ts';
import { elementLabel, elementWords, isWide } from './element.ts';
import { gatherAxesWgsl } from './gather-axes.wgsl.ts';
import { moveAxesWgsl } from './move-axes.wgsl.ts';
import { type AxisTaps, axisTaps } from './plan.ts';
import type { ResizeProblem } from './problem.ts';
import { positionTable, weightedTable } from './tap-table.ts';

export const MOVE_AXES: Algorithm<ResizeProblem> = {
  name: 'move-axes',
  impossible: ({ sampling, epilogue, element, layout }) => {
    if (sampling.mode !== 'nearest') return 'the mode is not nearest';
    if (isWide(element) && layout === 'nhwc4') return `${element} takes nchw`;
    return epilogueLabel(epilogue) === '' ? undefined : 'there is an epilogue';
  },
  reject: () => undefined,
  plan: (problem, target) =>
    axesPlan(problem, target, {
      algorithm: 'move-axes',
      wgsl: ({ axes, lanes }) =>
        moveAxesWgsl({
          word: lanes === 4 ? 'vec4u' : isWide(problem.element) ? 'vec2u' : 'u32',
          channels: problem.srcDims[1] ?? 1,
          axes: axes.length,
        }),
      table: positionTable,
      // An extrapolation value is a number, not a pattern, whatever type lies below.
      ...(problem.element === 'float32' && problem.sampling.coordinates === 'tf_crop_and_resize'
        ? { bits: 'float32' as const }
        : {}),
    }),
};

export const GATHER_AXES: Algorithm<ResizeProblem> = {
  name: 'gather-axes',
  impossible: ({ element, epilogue }) => {
    if (element !== 'float32') return `it weighs float32, not ${element}`;
    return epilogue.bias ? 'a bias is not built' : undefined;
  },
  reject: () => undefined,
  plan: (problem, target) =>
    axesPlan(problem, target, {
      algorithm: 'gather-axes',
      wgsl: ({ lanes }, taps) =>
        gatherAxesWgsl({
          lanes,
          channels: problem.srcDims[1] ?? 1,
          taps: taps.map((axis) => axis.taps),
          epilogue: problem.epilogue,
        }),
      table: weightedTable,
    }),
};

export interface AxesParts {
  readonly algorithm: string;
  wgsl(view: AxesView, taps: readonly AxisTaps[]): string;
  table(taps: readonly AxisTaps[]): Uint32Array;
  /** Elements of the table's array that a tap takes. Default 1. */
  readonly tapElements?: number;
  readonly bits?: 'float32';
}

export function axesPlan(problem: ResizeProblem, target: GpuCapabilities, parts: AxesParts): DispatchPlan {
  const { sampling, layout, element } = problem;
  const view = axesView(problem);
  const taps = view.axes.map(({ axis }) => axisTaps(axis, sampling));
  const { tapElements = 1 } = parts;
  const total = viewTotal(view);
  const operands = spliceEpilogue(problem.epilogue, 'f32', 3);
  const epilogue = epilogueLabel(problem.epilogue);
  const label = `resize/${parts.algorithm}/${elementLabel(element)}/${sampling.mode}-${layout}${epilogue === '' ? '' : `/${epilogue}`}`;
  const pass: DispatchPass = {
    label,
    wgsl: parts.wgsl(view, taps),
    bindings: bindingsOf(operands, parts.bits),
    params: axesParams({
      total,
      inner: Math.max(view.inner, 1),
      extrapolation: elementWords(sampling.extrapolation, element),
      axes: view.axes.map(({ axis, mid }, k) => ({
        mid: Math.max(mid, 1),
        src: axis.input,
        dst: Math.max(axis.output, 1),
        first: tapElements * taps.slice(0, k).reduce((sum, { index }) => sum + index.length, 0),
      })),
    }),
    workgroups: flatWorkgroups(total, target),
  };
  const table: PlanTable = { operand: 'taps', data: parts.table(taps) };
  return {
    operator: 'resize',
    algorithm: parts.algorithm,
    label,
    passes: [pass],
    scratch: [],
    tables: [table, ...operands.tables],
    packing: [],
    cost: {
      flops: sampling.mode === 'nearest' ? 0 : 2 * layoutElements(problem.dstDims, layout) * nestedTaps(taps),
      bytes: 4 * (layoutElements(problem.srcDims, layout) + layoutElements(problem.dstDims, layout)),
    },
  };
}

function bindingsOf(epilogue: EpilogueSplice, bits: 'float32' | undefined): readonly PassBinding[] {
  const numbers = bits === undefined ? {} : { bits };
  return [
    { operand: 'src', access: 'read', ...numbers },
    { operand: 'taps', access: 'read' },
    { operand: 'dst', access: 'read_write', ...numbers },
    ...epilogue.bindings,
  ];
}

/** Multiply-adds of one element: each axis weighs its taps for every tap of the axes around it. */
function nestedTaps(taps: readonly AxisTaps[]): number {
  let around = 1;
  return taps.reduce((sum, axis) => {
    around *= axis.taps;
    return sum + around;
  }, 0);
}
