/** dst[i] = src[offset + sum of the axes' steps at i's coordinates], or the fill value; bit for bit. */
import { elementwiseMain, type ItemsPerInvocation, paramsWgsl } from '../shared/elementwise.ts';
import type { MoveElement } from './view.ts';

export interface StridedSpec {
  readonly element: MoveElement;
  /** Axes outermost first: whether each has a table. */
  readonly tables: readonly boolean[];
  readonly items: ItemsPerInvocation;
}

/** Uniform fields: offset, fill, its upper word, then per axis its extent and its stride, or where its table starts. */
export function stridedFields({ tables }: StridedSpec): readonly string[] {
  const axes = tables.flatMap((_, axis) => [`extent${axis}: u32`, `step${axis}: u32`]);
  return ['offset: u32', 'fill: u32', 'fill_high: u32', ...axes];
}

export function stridedWgsl(spec: StridedSpec): string {
  const { element, tables } = spec;
  const fill = element === 'u32' ? 'params.fill' : 'vec2u(params.fill, params.fill_high)';
  const hasTable = tables.includes(true);
  const lines = tables.map((table, axis) => axisLines(table, axis, fill)).reverse();
  return `@group(0) @binding(0) var<storage, read> src: array<${element}>;
@group(0) @binding(1) var<storage, read_write> dst: array<${element}>;
${hasTable ? '@group(0) @binding(2) var<storage, read> table: array<i32>;' : ''}
${paramsWgsl(hasTable ? 3 : 2, stridedFields(spec))}

fn gather(position: u32) -> ${element} {
  var rest = position;
  var index = params.offset;
  ${lines.flat().join('\n  ')}
  return src[index];
}
${elementwiseMain(spec.items, 'dst[position] = gather(position);')}`;
}

function axisLines(table: boolean, axis: number, fill: string): readonly string[] {
  const coordinate = axis === 0 ? 'rest' : `(rest % params.extent${axis})`;
  const advance = axis === 0 ? [] : [`rest = rest / params.extent${axis};`];
  if (!table) return [`index += ${coordinate} * params.step${axis};`, ...advance];
  return [
    `let entry${axis} = table[params.step${axis} + ${coordinate}];`,
    `if (entry${axis} < 0) { return ${fill}; }`,
    `index += u32(entry${axis});`,
    ...advance,
  ];
}
