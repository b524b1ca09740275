/**
 * Operators that give the same elements other dims: Reshape, Flatten, Squeeze, Unsqueeze, Identity and Dropout (at
 * inference). On the GPU the output is the input's bytes; on the host, the input's array.
 * https://onnx.ai/onnx/operators/onnx__Reshape.html
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { misfit } from '@onegpu/kernels/core';
import type { AttributeReader } from '../attributes.ts';
import type { GraphNode } from '../graph.ts';
import type { NodeContext, OperatorDefinition, ValueInfo } from '../op-definition.ts';
import { elementCount, Tensor } from '../tensor.ts';
import { normalizeAxes } from './axes.ts';
import { axesOf, integerInput, requireConstant, requireInput } from './host-input.ts';

interface AliasSpec {
  readonly opType: string;
  readonly opsets: OperatorDefinition['opsets'];
  readonly arity: OperatorDefinition['arity'];
  readonly attributes: readonly string[];
  readonly check?: OperatorDefinition['check'];
  /** Dims of the output, with the input's number of elements. */
  dims(context: NodeContext): readonly number[];
}

export const RESHAPE_OPERATORS: readonly OperatorDefinition[] = [
  aliasOperator({
    opType: 'Reshape',
    opsets: [1, 28],
    arity: [1, 2],
    attributes: ['shape', 'allowzero'],
    check: (node, attributes) =>
      node.inputs.length < 2 && !attributes.has('shape')
        ? 'it has neither a shape input nor the attribute'
        : undefined,
    dims: reshapeDims,
  }),
  aliasOperator({
    opType: 'Flatten',
    opsets: [1, 28],
    arity: [1, 1],
    attributes: ['axis'],
    dims: flattenDims,
  }),
  aliasOperator({
    opType: 'Squeeze',
    opsets: [1, 28],
    arity: [1, 2],
    attributes: ['axes'],
    dims: squeezeDims,
  }),
  aliasOperator({
    opType: 'Unsqueeze',
    opsets: [1, 28],
    arity: [1, 2],
    attributes: ['axes'],
    dims: unsqueezeDims,
  }),
  aliasOperator({ opType: 'Identity', opsets: [1, 28], arity: [1, 1], attributes: [], dims: sameDims }),
  aliasOperator({
    opType: 'Dropout',
    opsets: [1, 28],
    arity: [1, 3],
    attributes: ['ratio', 'is_test', 'seed', 'consumed_inputs'],
    check: checkDropout,
    dims: sameDims,
  }),
];

function aliasOperator(spec: AliasSpec): OperatorDefinition {
  const infer = (context: NodeContext): readonly ValueInfo[] => {
    const { type, dims } = requireInput(context, 0);
    const shape = spec.dims(context);
    if (elementCount(shape) !== elementCount(dims)) {
      throw shapeError(spec.opType, dims, shape);
    }
    return [{ type, dims: shape }];
  };
  const evaluate = (context: NodeContext): readonly Tensor[] => {
    const { type, data } = requireConstant(context, 0);
    return [new Tensor(type, data, spec.dims(context))];
  };
  return {
    opType: spec.opType,
    domain: '',
    opsets: spec.opsets,
    arity: spec.arity,
    attributes: spec.attributes,
    ...(spec.check === undefined ? {} : { check: spec.check }),
    infer,
    evaluate,
    lower: () => ({ kind: 'alias', input: 0 }),
  };
}

/** 0 copies the input's extent (unless `allowzero`), one -1 takes what is left. */
function reshapeDims(context: NodeContext): readonly number[] {
  const { dims } = requireInput(context, 0);
  const wanted = context.attributes.ints('shape') ?? integerInput(context, 1) ?? [];
  const allowZero = context.attributes.int('allowzero', 0) !== 0;
  const copied = wanted.map((extent, axis) => {
    if (extent !== 0 || allowZero) return extent;
    const own = dims[axis];
    if (own === undefined) throw shapeError('Reshape', dims, wanted);
    return own;
  });
  const open = copied.filter((extent) => extent === -1).length;
  if (open > 1 || copied.some((extent) => extent < -1)) throw shapeError('Reshape', dims, wanted);
  if (open === 0) return copied;
  const known = elementCount(copied.filter((extent) => extent !== -1));
  const total = elementCount(dims);
  // With an empty input the rest is 0 / 0: nothing says how large it is, unless the known part is not empty.
  if (known === 0 || total % known !== 0) throw shapeError('Reshape', dims, wanted);
  return copied.map((extent) => (extent === -1 ? total / known : extent));
}

/** [product before axis, product from axis on]. */
function flattenDims(context: NodeContext): readonly number[] {
  const { dims } = requireInput(context, 0);
  const given = context.attributes.int('axis', 1);
  const axis = given < 0 ? given + dims.length : given;
  if (axis < 0 || axis > dims.length) {
    throw misfit('Flatten', 'axis', given, `-${dims.length} to ${dims.length}`);
  }
  return [elementCount(dims.slice(0, axis)), elementCount(dims.slice(axis))];
}

function squeezeDims(context: NodeContext): readonly number[] {
  const { dims } = requireInput(context, 0);
  const axes = axesOf(context, 1);
  if (axes === undefined) return dims.filter((extent) => extent !== 1);
  const removed = normalizeAxes('Squeeze', axes, dims.length);
  const wrong = removed.find((axis) => dims[axis] !== 1);
  if (wrong !== undefined) {
    throw new GpuKernelShapeError('only an axis of extent 1 can go', {
      subject: 'Squeeze',
      field: 'axes',
      got: `axis ${wrong} of [${dims.join(', ')}]`,
    });
  }
  return dims.filter((_, axis) => !removed.includes(axis));
}

function unsqueezeDims(context: NodeContext): readonly number[] {
  const { dims } = requireInput(context, 0);
  const axes = axesOf(context, 1) ?? [];
  const rank = dims.length + axes.length;
  const added = normalizeAxes('Unsqueeze', axes, rank);
  const rest = [...dims];
  return Array.from({ length: rank }, (_, axis) => (added.includes(axis) ? 1 : (rest.shift() ?? 1)));
}

function sameDims(context: NodeContext): readonly number[] {
  return requireInput(context, 0).dims;
}

/** Dropout is the identity unless it trains; its second output, the mask, only training needs. */
function checkDropout(
  node: GraphNode,
  attributes: AttributeReader,
  opset: number,
  constants: ReadonlyMap<string, Tensor>,
): string | undefined {
  if (node.outputs.slice(1).some((output) => output !== '')) return 'the mask output is not supported';
  if (opset < 7 && attributes.int('is_test', 0) === 0) return 'is_test = 0 asks for training';
  const training = node.inputs[2];
  if (training === undefined || training === '') return undefined;
  const value = constants.get(training)?.data[0];
  if (value === undefined) return 'training_mode must be a constant';
  return value === 0 ? undefined : 'training is not supported';
}

function shapeError(
  operator: string,
  dims: readonly number[],
  shape: readonly number[],
): GpuKernelShapeError {
  return misfit(operator, 'shape', shape, `${elementCount(dims)} elements, as [${dims.join(', ')}]`);
}
