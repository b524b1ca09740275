/** Attributes that convolutions have in common, and how operators with a window read theirs. */
import type { AttributeReader } from '../attributes.ts';

export const CONV_ATTRIBUTES = ['auto_pad', 'dilations', 'group', 'kernel_shape', 'pads', 'strides'];

export function readWindow(attributes: AttributeReader) {
  return {
    autoPad: attributes.string('auto_pad', 'NOTSET'),
    pads: attributes.ints('pads'),
    strides: attributes.ints('strides'),
    dilations: attributes.ints('dilations'),
  };
}
