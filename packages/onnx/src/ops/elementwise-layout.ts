/**
 * Layouts of element-wise operators. They run in whichever layout their inputs lie in; where inputs differ, channels
 * last wins, if every operand can be given in it.
 */
import { broadcastDims, type Layout } from '@onegpu/kernels/core';
import type { LayoutChoice, NodeContext, ValueInfo } from '../op-definition.ts';
import { elementCount } from '../tensor.ts';

/** The result takes the input's layout; integers are computed dense. */
export function unaryLayouts(context: NodeContext, available: readonly Layout[]): LayoutChoice {
  const layout = holdsFloats(context) ? (available[0] ?? 'nchw') : 'nchw';
  return { inputs: available.map((_, index) => (index === 0 ? layout : 'nchw')), outputs: [layout] };
}

/**
 * `nhwc4` when an operand of the result's rank lies there already and the others are constants, single elements or
 * have the result's rank; else `nchw`.
 */
export function broadcastLayouts(context: NodeContext, available: readonly Layout[]): LayoutChoice {
  const inputs = context.inputs.filter((input) => input !== undefined);
  const rank = broadcastDims(
    context.node.opType,
    inputs.map((input) => input.dims),
  ).length;
  const lies = inputs.some((input, index) => input.dims.length === rank && available[index] === 'nhwc4');
  const fits = inputs.every((input) => fixed(input) || input.dims.length === rank);
  if (rank < 3 || rank > 4 || !lies || !fits || !holdsFloats(context)) {
    return { inputs: available.map(() => 'nchw'), outputs: ['nchw'] };
  }
  return {
    inputs: available.map((_, index) => {
      const input = context.inputs[index];
      return input === undefined || fixed(input) ? 'nchw' : 'nhwc4';
    }),
    outputs: ['nhwc4'],
  };
}

function holdsFloats(context: NodeContext): boolean {
  const type = context.inputs[0]?.type;
  return type === 'float32' || type === 'float16';
}

/** Operands that stay dense: constants are packed with the plan, a single element lies alike in both layouts. */
function fixed(input: ValueInfo): boolean {
  return input.constant !== undefined || elementCount(input.dims) === 1;
}
