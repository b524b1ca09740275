/**
 * QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear over integers of 8 and 16 bits (and int32 where ONNX has
 * it): one scale, one an index of an axis (opset 13), or one a block (21).
 * https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html
 */
import type { GpuKernelShapeError } from '@onegpu/core';
import {
  type DequantizeProblem,
  type Layout,
  makeDequantizeProblem,
  makeQuantizeProblem,
  misfit,
  planDequantize,
  planDynamicQuantize,
  planQuantize,
  QUANTIZED_TYPES,
  type QuantizedType,
  type QuantizeProblem,
  referenceDequantize,
  referenceDynamicQuantize,
  referenceQuantize,
} from '@onegpu/kernels';
import type { AttributeReader } from '../attributes.ts';
import { floatTensor, readNumbers } from '../host/numbers.ts';
import { type NotBuiltError, notBuilt } from '../not-built.ts';
import type { LayoutChoice, NodeContext, OperatorDefinition } from '../op-definition.ts';
import { dataTypeName, elementType } from '../proto/element-type.ts';
import { ARRAY_CLASSES, Tensor, type TensorType } from '../tensor.ts';
import { requireFloat } from './gpu-operands.ts';
import { requireConstant, requireInput } from './host-input.ts';
import { followLayout, kernelOptions, loweringOf, srcLayout } from './kernel-lowering.ts';

export const QUANTIZE_OPERATORS: readonly OperatorDefinition[] = [
  {
    opType: 'QuantizeLinear',
    domain: '',
    opsets: [10, 28],
    arity: [2, 3],
    attributes: ['axis', 'block_size', 'output_dtype', 'precision', 'saturate'],
    check: (_, attributes) => checkTypes(attributes),
    infer: (context) => {
      const { dims, dst } = quantizeProblem(context, 'nchw');
      return [{ type: dst, dims }];
    },
    evaluate: quantize,
    layouts: layoutsOf,
    lower: (context) => {
      const problem = quantizeProblem(context, srcLayout(context));
      const selection = planQuantize(problem, context.capabilities, kernelOptions(context));
      return loweringOf(context, selection, scaleOperands(problem));
    },
  },
  {
    opType: 'DequantizeLinear',
    domain: '',
    opsets: [10, 28],
    arity: [2, 3],
    attributes: ['axis', 'block_size', 'output_dtype'],
    check: (_, attributes) => checkTypes(attributes),
    infer: (context) => [{ type: dequantizedType(context), dims: dequantizeProblem(context, 'nchw').dims }],
    evaluate: dequantize,
    layouts: layoutsOf,
    lower: (context) => {
      const problem = dequantizeProblem(context, srcLayout(context));
      const selection = planDequantize(problem, context.capabilities, kernelOptions(context));
      return loweringOf(context, selection, scaleOperands(problem));
    },
  },
  {
    opType: 'DynamicQuantizeLinear',
    domain: '',
    opsets: [11, 28],
    arity: [1, 1],
    attributes: [],
    infer: (context) => {
      const { type, dims } = requireInput(context, 0);
      if (type !== 'float32') throw typeNotBuilt(context, 'x', type, 'float32');
      return [
        { type: 'uint8', dims },
        { type: 'float32', dims: [] },
        { type: 'uint8', dims: [] },
      ];
    },
    evaluate: dynamicQuantize,
    lower: (context) => {
      const { dims } = requireInput(context, 0);
      const plan = planDynamicQuantize(dims, context.capabilities, kernelOptions(context));
      const operands = { scale: { output: 1 }, zeroPoint: { output: 2 } };
      return loweringOf(context, { algorithm: plan.algorithm, refused: [], plan }, operands);
    },
  },
];

function checkTypes(attributes: AttributeReader): string | undefined {
  const output = attributes.int('output_dtype', 0);
  if (output !== 0 && elementType(output) === undefined) {
    return `output_dtype ${dataTypeName(output)} is not built`;
  }
  const precision = attributes.int('precision', 0);
  if (precision === 0 || precision === 1 || precision === 10) return undefined;
  return `precision ${dataTypeName(precision)} is not built, only float and float16`;
}

function quantizeProblem(context: NodeContext, layout: Layout): QuantizeProblem {
  const src = requireInput(context, 0);
  if (src.type !== 'float32' && src.type !== 'float16' && src.type !== 'int32') {
    throw typeNotBuilt(context, 'x', src.type, 'float32, float16 or int32');
  }
  const scale = requireFloat(context, 1);
  if (scale.constant !== undefined && readNumbers(scale.constant).some((value) => value === 0)) {
    throw refusal(context, 'y_scale', '0', 'scales other than zero');
  }
  return makeQuantizeProblem({
    ...scaleRequest(context),
    layout,
    src: src.type === 'int32' ? 'int32' : 'float',
    dst: quantizedType(context),
    precision: divisionType(context, scale.type),
  });
}

/** From opset 23 on the division is made in the type of the scale unless an attribute says another. */
function divisionType(context: NodeContext, scale: TensorType): 'float32' | 'float16' {
  const asked =
    elementType(context.attributes.int('precision', 0)) ?? (context.opset >= 23 ? scale : 'float32');
  return asked === 'float16' ? 'float16' : 'float32';
}

function quantizedType(context: NodeContext): QuantizedType {
  const asked = elementType(context.attributes.int('output_dtype', 0));
  const type = context.inputs[2]?.type ?? asked ?? 'uint8';
  const found = QUANTIZED_TYPES.find((quantized) => quantized === type);
  if (found === undefined) throw typeNotBuilt(context, 'y_zero_point', type, QUANTIZED_TYPES.join(', '));
  if (asked !== undefined && asked !== type)
    throw refusal(context, 'output_dtype', asked, `${type}, as the zero point`);
  return found;
}

function dequantizeProblem(context: NodeContext, layout: Layout): DequantizeProblem {
  const src = requireInput(context, 0);
  requireFloat(context, 1);
  const types = [...QUANTIZED_TYPES, 'int32'] as const;
  const type = types.find((quantized) => quantized === src.type);
  if (type === undefined) throw typeNotBuilt(context, 'x', src.type, types.join(', '));
  const zeroPoint = context.inputs[2];
  if (zeroPoint !== undefined && zeroPoint.type !== type) {
    throw refusal(context, 'x_zero_point', zeroPoint.type, `${type}, as x`);
  }
  return makeDequantizeProblem({ ...scaleRequest(context), layout, src: type });
}

function dequantizedType(context: NodeContext): TensorType {
  const type = elementType(context.attributes.int('output_dtype', 0)) ?? requireInput(context, 1).type;
  if (type === 'float32' || type === 'float16') return type;
  throw typeNotBuilt(context, 'output_dtype', type, 'float32 or float16');
}

function scaleRequest(
  context: NodeContext,
): Pick<
  Parameters<typeof makeDequantizeProblem>[0],
  'dims' | 'scaleDims' | 'zeroPoint' | 'axis' | 'blockSize'
> & { readonly scaleDims: readonly number[] } {
  const { attributes, inputs } = context;
  const scaleDims = requireInput(context, 1).dims;
  const zeroPoint = inputs[2];
  if (zeroPoint !== undefined && zeroPoint.dims.join() !== scaleDims.join()) {
    const one = zeroPoint.dims.every((extent) => extent === 1) && scaleDims.every((extent) => extent === 1);
    if (!one) {
      throw refusal(
        context,
        'zero_point',
        `[${zeroPoint.dims.join(', ')}]`,
        `[${scaleDims.join(', ')}], as the scale`,
      );
    }
  }
  return {
    dims: requireInput(context, 0).dims,
    scaleDims,
    zeroPoint: zeroPoint !== undefined,
    axis: attributes.int('axis', 1),
    blockSize: attributes.int('block_size', 0),
  };
}

/** One scale, or one a channel: the tensor stays in the layout it has. */
function layoutsOf(context: NodeContext, available: readonly Layout[]): LayoutChoice {
  const { dims, scaleDims, axis = 1, blockSize } = scaleRequest(context);
  const one = scaleDims.every((extent) => extent === 1) && scaleDims.length <= 1;
  const channels = axis === 1 || axis + dims.length === 1;
  return followLayout(context, blockSize === 0 && dims.length >= 3 && (one || channels) ? available : []);
}

function scaleOperands({ zeroPoint }: { readonly zeroPoint: boolean }): Record<string, { input: number }> {
  return zeroPoint ? { scale: { input: 1 }, zeroPoint: { input: 2 } } : { scale: { input: 1 } };
}

function scalesOf(context: NodeContext): Parameters<typeof referenceDequantize>[1] {
  const zeroPoint = context.inputs[2] === undefined ? undefined : numbersOf(context, 2);
  return { src: numbersOf(context, 0), scale: numbersOf(context, 1), zeroPoint };
}

/** The elements as numbers, without a copy where they are: weights of whole models come this way. */
function numbersOf(context: NodeContext, index: number): ArrayLike<number> {
  const tensor = requireConstant(context, index);
  return tensor.type === 'float16' ? readNumbers(tensor) : (tensor.data as ArrayLike<number>);
}

function quantize(context: NodeContext): readonly Tensor[] {
  const problem = quantizeProblem(context, 'nchw');
  const data = ARRAY_CLASSES[problem.dst].from(referenceQuantize(problem, scalesOf(context)));
  return [new Tensor(problem.dst, data, problem.dims)];
}

function dequantize(context: NodeContext): readonly Tensor[] {
  const problem = dequantizeProblem(context, 'nchw');
  const values = referenceDequantize(problem, scalesOf(context));
  const type = dequantizedType(context);
  if (type === 'float32') return [new Tensor(type, Float32Array.from(values), problem.dims)];
  return [floatTensor(type, [...values], problem.dims)];
}

function dynamicQuantize(context: NodeContext): readonly Tensor[] {
  const { dims } = requireInput(context, 0);
  const { dst, scale, zeroPoint } = referenceDynamicQuantize(numbersOf(context, 0));
  return [
    new Tensor('uint8', [...dst], dims),
    new Tensor('float32', [scale], []),
    new Tensor('uint8', [zeroPoint], []),
  ];
}

function typeNotBuilt(context: NodeContext, field: string, got: string, expected: string): NotBuiltError {
  return notBuilt(context.node.opType, field, got, expected);
}

function refusal(context: NodeContext, field: string, got: string, expected: string): GpuKernelShapeError {
  return misfit(context.node.opType, field, got, expected);
}
