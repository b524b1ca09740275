/** dst[(outer * indices + i) * inner + place] = src[(outer * extent + index(i)) * inner + place]; bits as they are. */
import type { MoveElement } from '../move/view.ts';
import { elementwiseMain, type ItemsPerInvocation, paramsWgsl } from '../shared/elementwise.ts';

export interface GatherRowsSpec {
  readonly element: MoveElement;
  readonly index: 'i32' | 'i64';
  readonly items: ItemsPerInvocation;
}

export function gatherRowsWgsl({ element, index, items }: GatherRowsSpec): string {
  const [indexType, word] = index === 'i64' ? ['vec2u', 'bitcast<i32>(index[i].x)'] : ['i32', 'index[i]'];
  return `@group(0) @binding(0) var<storage, read> src: array<${element}>;
@group(0) @binding(1) var<storage, read> index: array<${indexType}>;
@group(0) @binding(2) var<storage, read_write> dst: array<${element}>;
${paramsWgsl(3, ['indices: u32', 'inner: u32', 'extent: u32'])}

fn coordinate(i: u32) -> u32 {
  let given = ${word};
  let extent = i32(params.extent);
  return u32(clamp(select(given, given + extent, given < 0), 0, extent - 1));
}
${elementwiseMain(
  items,
  `let row = position / params.inner;
      let outer = row / params.indices;
      let source_row = outer * params.extent + coordinate(row - outer * params.indices);
      dst[position] = src[source_row * params.inner + position - row * params.inner];`,
)}`;
}
