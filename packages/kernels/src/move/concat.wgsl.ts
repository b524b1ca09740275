/** One pass of a concatenation: position -> row and place in the row -> the input that holds it. */
import { elementwiseMain, type ItemsPerInvocation, paramsWgsl } from '../shared/elementwise.ts';

export interface ConcatSpec {
  readonly inputs: number;
  readonly type: 'u32' | 'vec2u' | 'vec4u';
  readonly items: ItemsPerInvocation;
}

/** Uniform fields: this pass's row, the result's row, where this pass starts in it, then each input's run. */
export function concatWgsl({ inputs, type, items }: ConcatSpec): string {
  const numbers = Array.from({ length: inputs }, (_, input) => input);
  const declarations = numbers.map(
    (input) => `@group(0) @binding(${input}) var<storage, read> src${input}: array<${type}>;`,
  );
  const fields = ['row: u32', 'dst_row: u32', 'start: u32', ...numbers.map((input) => `run${input}: u32`)];
  const choices = numbers.slice(0, -1).map(
    (input) => `if (place < params.run${input}) { return src${input}[outer * params.run${input} + place]; }
  place -= params.run${input};`,
  );
  const last = inputs - 1;
  return `${declarations.join('\n')}
@group(0) @binding(${inputs}) var<storage, read_write> dst: array<${type}>;
${paramsWgsl(inputs + 1, fields)}

fn pick(outer: u32, from_start: u32) -> ${type} {
  var place = from_start;
  ${choices.join('\n  ')}
  return src${last}[outer * params.run${last} + place];
}
${elementwiseMain(
  items,
  `let outer = position / params.row;
      let place = position - outer * params.row;
      dst[outer * params.dst_row + params.start + place] = pick(outer, place);`,
)}`;
}
