/** dst[i] = activate(combine(lhs[index of i], rhs[index of i])), an item being a float or a vec4 of channels. */
import { type Activation, activateWgsl, activationMath } from '../shared/activation.ts';
import { type BroadcastAxis, broadcastFields, broadcastIndexWgsl } from '../shared/broadcast.ts';
import { elementwiseMain, type ItemsPerInvocation, paramsWgsl } from '../shared/elementwise.ts';
import { mathWgsl } from '../shared/math.wgsl.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { type BinaryFunction, binaryMath, combineWgsl } from './functions.wgsl.ts';

export interface BinarySpec {
  readonly function: BinaryFunction;
  readonly type: 'f32' | 'vec4f';
  readonly activation: readonly Activation[];
  readonly axes: readonly BroadcastAxis[];
  /** Whether lhs, rhs hold one channel that is repeated over the lanes. */
  readonly repeatLane: readonly [boolean, boolean];
  /** Channels to mask by, 0 for no mask. */
  readonly maskedChannels: number;
  readonly items: ItemsPerInvocation;
}

export function binaryWgsl(spec: BinarySpec): string {
  const { type, axes, maskedChannels } = spec;
  const groups = Math.ceil(maskedChannels / 4);
  const store = maskedChannels === 0 ? 'value' : `mask_lanes(value, position % ${groups}u)`;
  const load = (name: string, repeat: boolean): string =>
    repeat ? `vec4f(${name}[${name}_index(position)].x)` : `${name}[${name}_index(position)]`;
  return `${mathWgsl([...activationMath(spec.activation), ...binaryMath(spec.function)])}
${activateWgsl(spec.activation, type)}
${combineWgsl(spec.function, type)}
${maskedChannels === 0 ? '' : maskLanesWgsl(maskedChannels)}
@group(0) @binding(0) var<storage, read> lhs: array<${type}>;
@group(0) @binding(1) var<storage, read> rhs: array<${type}>;
@group(0) @binding(2) var<storage, read_write> dst: array<${type}>;
${paramsWgsl(3, broadcastFields(axes))}
${broadcastIndexWgsl('lhs_index', axes, 0)}
${broadcastIndexWgsl('rhs_index', axes, 1)}
${elementwiseMain(
  spec.items,
  `let value = activate(combine(${load('lhs', spec.repeatLane[0])}, ${load('rhs', spec.repeatLane[1])}));
      dst[position] = ${store};`,
)}`;
}
