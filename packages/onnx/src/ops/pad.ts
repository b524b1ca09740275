/**
 * Pad: amounts and value are attributes before opset 11 and inputs known on the host from then on; opset 18 may name
 * the axes they are for. https://onnx.ai/onnx/operators/onnx__Pad.html
 */
import { type MoveProblem, makePadProblem, misfit, type PadMode } from '@onegpu/kernels/core';
import { floatTensor } from '../host/numbers.ts';
import type { NodeContext, OperatorDefinition } from '../op-definition.ts';
import type { Tensor } from '../tensor.ts';
import { normalizeAxes } from './axes.ts';
import { integerInput, requireConstant, requireInput } from './host-input.ts';
import { moveOperator } from './move-operator.ts';

const MODES: readonly PadMode[] = ['constant', 'reflect', 'edge', 'wrap'];

export const PAD_OPERATORS: readonly OperatorDefinition[] = [
  moveOperator({
    opType: 'Pad',
    opsets: [1, 28],
    arity: [1, 4],
    attributes: ['mode', 'pads', 'paddings', 'value'],
    check: (_, attributes) => {
      const mode = attributes.string('mode', 'constant');
      return MODES.includes(mode as PadMode) ? undefined : `mode "${mode}" is not supported`;
    },
    view: padView,
    fill: fillTensor,
  }),
];

function padView(context: NodeContext): MoveProblem {
  const { dims } = requireInput(context, 0);
  const mode = context.attributes.string('mode', 'constant') as PadMode;
  const { attributes } = context;
  const pads = attributes.ints('pads') ?? attributes.ints('paddings') ?? integerInput(context, 1) ?? [];
  const axes = normalizeAxes('Pad', integerInput(context, 3) ?? dims.map((_, axis) => axis), dims.length);
  if (pads.length !== 2 * axes.length) {
    throw misfit('Pad', 'pads', `${pads.length} amounts`, `${2 * axes.length}, two an axis`);
  }
  const amounts = (offset: number): readonly number[] =>
    dims.map((_, axis) => {
      const position = axes.indexOf(axis);
      return position < 0 ? 0 : (pads[offset + position] ?? 0);
    });
  return makePadProblem({
    srcDims: dims,
    before: amounts(0),
    after: amounts(axes.length),
    mode,
    ...fillBits(context),
  });
}

/** The constant as a tensor of one element of the data's type; undefined for zero. */
function fillTensor(context: NodeContext): Tensor | undefined {
  if (context.inputs[2] !== undefined) return requireConstant(context, 2);
  const value = context.attributes.float('value', 0);
  return value === 0 ? undefined : floatTensor(requireInput(context, 0).type, [value], []);
}

/** Its bits, for the types that the GPU moves. */
function fillBits(context: NodeContext): { readonly fill: number; readonly fillHigh: number } {
  const data = fillTensor(context)?.data;
  if (data === undefined || Array.isArray(data) || data.length === 0) return { fill: 0, fillHigh: 0 };
  const words = new Uint32Array(2);
  new Uint8Array(words.buffer).set(new Uint8Array(data.buffer, data.byteOffset, data.BYTES_PER_ELEMENT));
  return { fill: words[0] ?? 0, fillHigh: words[1] ?? 0 };
}
