/**
 * Conv: one or two spatial axes, float32. Runs channels last wherever it may choose, with weights packed at load
 * when they are constant. https://onnx.ai/onnx/operators/onnx__Conv.html
 */
import { GpuKernelShapeError } from '@onegpu/core';
import {
  type ConvProblem,
  convSum,
  type Epilogue,
  type Layout,
  makeConvProblem,
  PLAIN_EPILOGUE,
  referenceConv,
  selectConv,
} from '@onegpu/kernels';
import { NotBuiltError } from '../not-built.ts';
import type {
  LowerContext,
  Lowering,
  NodeContext,
  OperatorDefinition,
  ReferenceOutput,
  ValueInfo,
} from '../op-definition.ts';
import { requireInput } from './host-input.ts';
import { floatsOf, optionalFloatsOf, squares, sums, walkOf } from './reference.ts';

const conv: OperatorDefinition = {
  opType: 'Conv',
  domain: '',
  opsets: [1, 28],
  arity: [2, 3],
  attributes: ['auto_pad', 'dilations', 'group', 'kernel_shape', 'pads', 'strides'],
  infer: (context) => {
    return [
      {
        type: requireInput(context, 0).type,
        dims: dstDims(context, problemOf(context, 'nchw', PLAIN_EPILOGUE)),
      },
    ];
  },
  layouts: (context) => ({
    inputs: context.inputs.map((_, index) => (index === 0 ? 'nhwc4' : 'nchw')),
    outputs: ['nhwc4'],
  }),
  reference,
  lower: lowerConv,
};

export const CONV_OPERATORS: readonly OperatorDefinition[] = [conv];

function dstDims(context: NodeContext, { batch, oc, oh, ow }: ConvProblem): readonly number[] {
  return context.inputs[0]?.dims.length === 3 ? [batch, oc, ow] : [batch, oc, oh, ow];
}

function reference(context: NodeContext): readonly ReferenceOutput[] {
  const bias = optionalFloatsOf(context, 2);
  const problem = problemOf(context, 'nchw', { ...PLAIN_EPILOGUE, bias: bias !== undefined });
  const operands = { src: floatsOf(context, 0), weights: floatsOf(context, 1), bias };
  const walk = (): number =>
    walkOf(
      referenceConv(problem, {
        src: squares(operands.src),
        weights: squares(operands.weights),
        bias: squares(bias),
      }),
    );
  return [sums(dstDims(context, problem), referenceConv(problem, operands), convSum(problem), walk)];
}

function lowerConv(context: LowerContext): Lowering {
  const { capabilities, mode, algorithm, activation, residual } = context;
  const bias = context.inputs[2] !== undefined;
  const layout = context.layouts.outputs[0] ?? 'nchw';
  const problem = problemOf(context, layout, { bias, residual, activation });
  const options = algorithm === undefined ? { mode } : { mode, algorithm };
  const { plan, refused } = selectConv(problem, capabilities, options);
  return {
    kind: 'dispatch',
    plan,
    refused,
    operands: {
      src: { input: 0 },
      weights: { input: 1 },
      ...(bias ? { bias: { input: 2 } } : {}),
      ...(residual ? { residual: { residual: true } } : {}),
      dst: { output: 0 },
    },
  };
}

function problemOf(context: NodeContext, layout: Layout, epilogue: Epilogue): ConvProblem {
  const { attributes, inputs } = context;
  const src = floatInput(inputs[0], 'X');
  const weights = floatInput(inputs[1], 'W');
  if (src.dims.length > 4) {
    throw new NotBuiltError('more than two spatial axes are not built', { subject: 'Conv', field: 'X' });
  }
  const kernel = attributes.ints('kernel_shape');
  if (kernel !== undefined && String(kernel) !== String(weights.dims.slice(2))) {
    refuse('kernel_shape', `[${kernel.join(', ')}]`, `[${weights.dims.slice(2).join(', ')}], as the weights`);
  }
  const bias = inputs[2];
  if (bias !== undefined && (bias.dims.length !== 1 || bias.dims[0] !== weights.dims[0])) {
    refuse('B', `[${bias.dims.join(', ')}]`, `[${weights.dims[0]}]`);
  }
  return makeConvProblem({
    src: src.dims,
    weights: weights.dims,
    groups: attributes.int('group', 1),
    autoPad: attributes.string('auto_pad', 'NOTSET'),
    pads: attributes.ints('pads'),
    strides: attributes.ints('strides'),
    dilations: attributes.ints('dilations'),
    layout,
    epilogue,
    weightsConstant: weights.constant !== undefined && (bias === undefined || bias.constant !== undefined),
  });
}

function floatInput(value: ValueInfo | undefined, field: string): ValueInfo {
  if (value === undefined) return refuse(field, 'nothing', 'float32');
  if (value.type === 'float32' || value.type === 'float16') return value;
  throw new NotBuiltError('this type is not built', {
    subject: 'Conv',
    field,
    got: value.type,
    expected: 'float32 or float16',
  });
}

function refuse(field: string, got: string, expected: string): never {
  throw new GpuKernelShapeError('the input or attribute does not fit', {
    subject: 'Conv',
    field,
    got,
    expected,
  });
}
