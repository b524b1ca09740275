/**
 * Operators whose result is known as soon as extents are: Shape and Size. They never wait for the GPU.
 * https://onnx.ai/onnx/operators/onnx__Shape.html
 */
import type { NodeContext, OperatorDefinition, ValueInfo } from '../op-definition.ts';
import { elementCount, Tensor } from '../tensor.ts';
import { requireInput } from './host-input.ts';

export const SHAPE_OPERATORS: readonly OperatorDefinition[] = [
  extentOperator('Shape', ['start', 'end'], shapeOf),
  extentOperator(
    'Size',
    [],
    (context) => new Tensor('int64', [BigInt(elementCount(requireInput(context, 0).dims))], []),
  ),
];

function extentOperator(
  opType: string,
  attributes: readonly string[],
  result: (context: NodeContext) => Tensor,
): OperatorDefinition {
  return {
    opType,
    domain: '',
    opsets: [1, 28],
    arity: [1, 1],
    attributes,
    infer: (context): readonly ValueInfo[] => {
      const constant = result(context);
      return [{ type: constant.type, dims: constant.dims, constant }];
    },
    evaluate: (context) => [result(context)],
  };
}

/** Extents `start` to `end` (exclusive); both may count from the end and are clamped to the rank. */
function shapeOf(context: NodeContext): Tensor {
  const { dims } = requireInput(context, 0);
  const clamp = (axis: number): number =>
    Math.min(Math.max(axis < 0 ? axis + dims.length : axis, 0), dims.length);
  const start = clamp(context.attributes.int('start', 0));
  const end = clamp(context.attributes.int('end', dims.length));
  return new Tensor('int64', dims.slice(start, Math.max(start, end)).map(BigInt));
}
