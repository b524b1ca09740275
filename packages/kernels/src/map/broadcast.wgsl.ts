/** dst[i] = combine(src0[index of i], src1[index of i], ...), each operand of its own element class. */
import { type BroadcastAxis, broadcastFields, broadcastIndexWgsl } from '../shared/broadcast.ts';
import { elementwiseMain, type ItemsPerInvocation, paramsWgsl } from '../shared/elementwise.ts';
import { wordType } from './element.ts';
import { combineWgsl, type MapFunction, type MapSignature } from './functions.wgsl.ts';

export interface MapSpec {
  readonly function: MapFunction;
  readonly signature: MapSignature;
  readonly axes: readonly BroadcastAxis[];
  readonly items: ItemsPerInvocation;
}

export function mapWgsl({ function: name, signature, axes, items }: MapSpec): string {
  const { operands, result } = signature;
  const count = operands.length;
  const sources = operands.map(
    (element, index) =>
      `@group(0) @binding(${index}) var<storage, read> src${index}: array<${wordType(element)}>;`,
  );
  const indices = operands.map((_, index) => broadcastIndexWgsl(`index${index}`, axes, index));
  const loads = operands.map((_, index) => `src${index}[index${index}(position)]`);
  return `${combineWgsl(name, signature)}
${sources.join('\n')}
@group(0) @binding(${count}) var<storage, read_write> dst: array<${wordType(result)}>;
${paramsWgsl(count + 1, broadcastFields(axes))}
${indices.join('\n')}
${elementwiseMain(items, `dst[position] = combine(${loads.join(', ')});`)}`;
}
