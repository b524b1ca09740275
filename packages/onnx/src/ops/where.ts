/**
 * Where: an element of the second or the third input by a condition, moved bit for bit. Strings only on the host.
 * https://onnx.ai/onnx/operators/onnx__Where.html
 */
import { broadcastTensors } from '../host/broadcast.ts';
import { readIntegers } from '../host/numbers.ts';
import type { NodeContext, OperatorDefinition } from '../op-definition.ts';
import { allocateData, Tensor } from '../tensor.ts';
import { moveElement, requireOneType } from './gpu-operands.ts';
import { requireConstant, requireInput } from './host-input.ts';
import { commonDims } from './logic.ts';
import { lowerMap, requireElement } from './map-lowering.ts';

export const WHERE_OPERATORS: readonly OperatorDefinition[] = [
  {
    opType: 'Where',
    domain: '',
    opsets: [9, 28],
    arity: [3, 3],
    attributes: [],
    infer: (context) => [{ type: requireInput(context, 1).type, dims: commonDims(context) }],
    evaluate,
    lower: (context) => {
      requireElement(context, 0, 'bool');
      const pairs = moveElement(requireOneType(context, [1, 2]).type) === 'vec2u';
      return lowerMap(context, { function: 'where', element: pairs ? 'u64' : 'u32' });
    },
  },
];

function evaluate(context: NodeContext): readonly Tensor[] {
  const tensors = [0, 1, 2].map((index) => requireConstant(context, index));
  const [condition, yes, no] = broadcastTensors('Where', tensors) as [Tensor, Tensor, Tensor];
  const data = allocateData(yes.type, yes.size) as (number | bigint | string)[];
  const [chosen, other] = [yes.data, no.data] as ArrayLike<number | bigint | string>[];
  readIntegers(condition).forEach((value, index) => {
    data[index] = (value === 0n ? other?.[index] : chosen?.[index]) ?? 0;
  });
  return [new Tensor(yes.type, data as never, yes.dims)];
}
