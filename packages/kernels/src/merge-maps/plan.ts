/** Plan of merged maps: one dispatch, or several over parts side by side where a dispatch may bind fewer buffers. */
import type { DispatchPass, DispatchPlan, GpuCapabilities, PassBinding, PlanTable } from '@onegpu/core';
import { axisTaps } from '../resize/plan.ts';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { elementCount } from '../shared/layout.ts';
import { type GatherPart, gatherPartsWgsl } from './gather-parts.wgsl.ts';
import type { MergeMapsProblem } from './problem.ts';

const gatherParts: Algorithm<MergeMapsProblem> = {
  name: 'gather-parts',
  reject: () => undefined,
  impossible: ({ merge, parts }, target) => {
    const needed = buffersOf(merge === 'sum' ? parts : parts.slice(0, 1)) + 2;
    const most = target.limits.maxStorageBuffersPerShaderStage;
    return needed <= most ? undefined : `binds ${needed} buffers, a dispatch may bind ${most}`;
  },
  plan: planParts,
};

export const MERGE_MAPS_ALGORITHMS: readonly Algorithm<MergeMapsProblem>[] = [gatherParts];

/** Operands `src0`, `src1`, ..., `gate0`, ... of gated parts, and `dst`, channels last. */
export function planMergeMaps(
  problem: MergeMapsProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('MergeMaps', MERGE_MAPS_ALGORITHMS, problem, target, options);
}

function buffersOf(parts: readonly { readonly gated: boolean }[]): number {
  return parts.reduce((sum, { gated }) => sum + (gated ? 2 : 1), 0);
}

function planParts(problem: MergeMapsProblem, target: GpuCapabilities): DispatchPlan {
  const label = `merge-maps/gather-parts/f32/${problem.parts.length}/${problem.merge}`;
  const { table, begins } = tapTable(problem);
  const groups = problem.merge === 'sum' ? [partsOf(problem)] : groupsOf(partsOf(problem), target);
  const elements = elementCount(problem.dstDims);
  const sources = problem.parts.reduce((sum, { resize }) => sum + elementCount(resize.srcDims), 0);
  return {
    operator: 'merge-maps',
    algorithm: 'gather-parts',
    label,
    passes: elements === 0 ? [] : groups.map((group) => partsPass(problem, target, { group, begins, label })),
    scratch: [],
    tables: [table],
    packing: [],
    cost: {
      flops: problem.merge === 'sum' ? elements * problem.parts.length : elements,
      bytes: 4 * (sources + elements),
    },
  };
}

function partsOf({ merge, parts }: MergeMapsProblem): readonly GatherPart[] {
  let first = 0;
  return parts.map(({ resize, gated }, number) => {
    const part = { number, quads: Math.ceil((resize.dstDims[1] ?? 0) / 4), gated, first };
    if (merge === 'concat') first += part.quads;
    return part;
  });
}

/** Runs of parts whose buffers, the taps and dst fit into one dispatch. */
function groupsOf(parts: readonly GatherPart[], { limits }: GpuCapabilities): readonly GatherPart[][] {
  const most = limits.maxStorageBuffersPerShaderStage - 2;
  const groups: GatherPart[][] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (last !== undefined && buffersOf([...last, part]) <= most) last.push(part);
    else groups.push([part]);
  }
  return groups;
}

/** Source rows, then columns, of every part; where they begin. */
function tapTable({ parts, dstDims }: MergeMapsProblem): {
  readonly table: PlanTable;
  readonly begins: readonly (readonly [number, number])[];
} {
  const words: number[] = [];
  const begins = parts.map(({ resize }): readonly [number, number] => {
    const [rows = 0, columns = 0] = resize.axes.slice(2).map((axis, spatial) => {
      const begin = words.length;
      const { index } = axisTaps(axis, resize.sampling);
      const extent = dstDims[2 + spatial] ?? 0;
      for (let at = 0; at < extent; at++) words.push(index[index.length === 1 ? 0 : at] ?? 0);
      return begin;
    });
    return [rows, columns];
  });
  return { table: { operand: 'taps', data: Uint32Array.from(words.length === 0 ? [0] : words) }, begins };
}

function partsPass(
  problem: MergeMapsProblem,
  target: GpuCapabilities,
  request: {
    readonly group: readonly GatherPart[];
    readonly begins: readonly (readonly [number, number])[];
    readonly label: string;
  },
): DispatchPass {
  const { group, begins, label } = request;
  const { merge, dstDims } = problem;
  const [batch = 0, channels = 0, height = 0, width = 0] = dstDims;
  const dstQuads = Math.ceil(channels / 4);
  const quads = merge === 'sum' ? dstQuads : group.reduce((sum, part) => sum + part.quads, 0);
  const total = batch * height * width * quads;
  const read = (operand: string): PassBinding => ({ operand, access: 'read', bits: 'float32' });
  const extents = group.flatMap(({ number }) => {
    const [, , ih = 0, iw = 0] = problem.parts[number]?.resize.srcDims ?? [];
    return [ih, iw, ...(begins[number] ?? [])];
  });
  return {
    label,
    wgsl: gatherPartsWgsl({ merge, parts: group, quads, dstQuads }),
    bindings: [
      ...group.map(({ number }) => read(`src${number}`)),
      ...group.filter(({ gated }) => gated).map(({ number }) => read(`gate${number}`)),
      { operand: 'taps', access: 'read' },
      { operand: 'dst', access: 'read_write', bits: 'float32' },
    ],
    params: Uint32Array.of(total, height, width, 0, ...extents),
    workgroups: flatWorkgroups(total, target),
  };
}
