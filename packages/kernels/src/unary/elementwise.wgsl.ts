/** dst[i] = activate(src[i]); in `nhwc4` an item is a vec4 of channels and padding lanes stay zero. */
import { type Activation, activationWgsl } from '../shared/activation.ts';
import { elementwiseMain, type ItemsPerInvocation, paramsWgsl } from '../shared/elementwise.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';

export interface UnarySpec {
  readonly type: 'f32' | 'vec4f';
  readonly activation: readonly Activation[];
  /** Channels to mask by, 0 for no mask; `vec4f` only. */
  readonly maskedChannels: number;
  readonly items: ItemsPerInvocation;
}

export function unaryWgsl({ type, activation, maskedChannels, items }: UnarySpec): string {
  const groups = Math.ceil(maskedChannels / 4);
  const store = maskedChannels === 0 ? 'value' : `mask_lanes(value, position % ${groups}u)`;
  return `${activationWgsl(activation, type)}
${maskedChannels === 0 ? '' : maskLanesWgsl(maskedChannels)}
@group(0) @binding(0) var<storage, read> src: array<${type}>;
@group(0) @binding(1) var<storage, read_write> dst: array<${type}>;
${paramsWgsl(2)}
${elementwiseMain(
  items,
  `let value = activate(src[position]);
      dst[position] = ${store};`,
)}`;
}
