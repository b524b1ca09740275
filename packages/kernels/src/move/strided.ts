/** Plan of a view: one word (or two) an element, the source's coordinates from divisions by the merged axes. */
import type { DispatchPlan, GpuCapabilities, PassBinding, PlanTable } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { elementwiseWorkgroups, itemsPerInvocation, paramsWords } from '../shared/elementwise.ts';
import { stridedWgsl } from './strided.wgsl.ts';
import { type MoveElement, type MoveProblem, moveElements } from './view.ts';

export const MOVE_STRIDED: Algorithm<MoveProblem> = {
  name: 'strided',
  impossible: () => undefined,
  reject: () => undefined,
  plan: (problem, target) => stridedPlan(problem, target),
};

/** The same for integers of 64 bits. */
export const MOVE_STRIDED_PAIRS: Algorithm<MoveProblem> = {
  ...MOVE_STRIDED,
  plan: (problem, target) => stridedPlan(problem, target, { element: 'vec2u' }),
};

export interface StridedOptions {
  /** Operand of the result: several views of one source share a plan in Split. */
  readonly dst?: string;
  readonly element?: MoveElement;
}

export function stridedPlan(
  problem: MoveProblem,
  target: GpuCapabilities,
  { dst = 'dst', element = 'u32' }: StridedOptions = {},
): DispatchPlan {
  const { axes, offset, fill, fillHigh } = problem;
  const count = moveElements(problem);
  const label = `${problem.operator}/strided/${elementLabel(element)}/${axes.length}`;
  const tableOperand = dst === 'dst' ? 'table' : `table:${dst}`;
  const { steps, table } = layOutTables(problem);
  const spec = {
    element,
    tables: axes.map((axis) => axis.table !== undefined),
    items: itemsPerInvocation(target),
  };
  const bindings: PassBinding[] = [
    { operand: 'src', access: 'read' },
    { operand: dst, access: 'read_write' },
  ];
  const tables: PlanTable[] = [];
  if (spec.tables.includes(true)) {
    bindings.push({ operand: tableOperand, access: 'read' });
    tables.push({ operand: tableOperand, data: table });
  }
  return {
    operator: problem.operator,
    algorithm: 'strided',
    label,
    passes: [
      {
        label,
        wgsl: stridedWgsl(spec),
        bindings,
        params: paramsWords(count, [
          offset,
          fill,
          fillHigh,
          ...axes.flatMap((axis, position) => [axis.extent, steps[position] ?? 0]),
        ]),
        workgroups: elementwiseWorkgroups(count, target),
      },
    ],
    scratch: [],
    tables,
    packing: [],
    cost: { flops: 0, bytes: count * (element === 'u32' ? 8 : 16) },
  };
}

/** `u32`, or `u64` for pairs of words. */
export function elementLabel(element: MoveElement): string {
  return element === 'u32' ? 'u32' : 'u64';
}

/** All tables behind one another, and per axis its stride (negative ones wrap) or where its table starts. */
function layOutTables({ axes }: MoveProblem): { steps: readonly number[]; table: Int32Array } {
  let length = 0;
  const steps = axes.map((axis) => {
    if (axis.table === undefined) return axis.stride;
    const start = length;
    length += axis.table.length;
    return start;
  });
  const table = new Int32Array(length);
  axes.forEach((axis, position) => {
    if (axis.table !== undefined) table.set(axis.table, steps[position]);
  });
  return { steps, table };
}
