/**
 * DeformConv over one to three spatial axes, with its optional bias and mask. Versions 19 and 22 differ in types only.
 * https://onnx.ai/onnx/operators/onnx__DeformConv.html
 */
import {
  type DeformConvRequest,
  deformConvSum,
  type Epilogue,
  makeDeformConvProblem,
  misfit,
  PLAIN_EPILOGUE,
  referenceDeformConv,
  selectDeformConv,
} from '@onegpu/kernels';
import type { AttributeReader } from '../attributes.ts';
import { notBuilt } from '../not-built.ts';
import type {
  LowerContext,
  Lowering,
  NodeContext,
  OperatorDefinition,
  ReferenceOutput,
} from '../op-definition.ts';
import { floatInput, optionalFloatInput } from './float-operands.ts';
import { requireInput } from './host-input.ts';
import { kernelOptions, loweringOf } from './kernel-lowering.ts';
import { floatsOf, optionalFloatsOf, squares, sums, walkOf } from './reference.ts';

function requestOf(
  context: NodeContext,
  epilogue: Pick<Epilogue, 'residual' | 'activation'>,
): DeformConvRequest {
  const { attributes } = context;
  const [src, weights, offset] = [0, 1, 2].map((position) => floatInput(context, position));
  const bias = optionalFloatInput(context, 3);
  const kernel = weights?.dims.slice(2) ?? [];
  if ((src?.dims.length ?? 0) > 5) {
    throw notBuilt('DeformConv', 'X', src?.dims ?? [], 'at most three spatial axes');
  }
  expectDims('kernel_shape', attributes.ints('kernel_shape'), kernel);
  expectDims('B', bias?.dims, weights?.dims.slice(0, 1) ?? []);
  return {
    ...{ src: src?.dims ?? [], weights: weights?.dims ?? [], offset: offset?.dims ?? [] },
    mask: optionalFloatInput(context, 4)?.dims,
    groups: attributes.int('group', 1),
    offsetGroups: attributes.int('offset_group', 1),
    pads: attributes.ints('pads'),
    strides: attributes.ints('strides'),
    dilations: attributes.ints('dilations'),
    epilogue: { ...epilogue, bias: bias !== undefined },
    weightsConstant: weights?.constant !== undefined && (bias === undefined || bias.constant !== undefined),
  };
}

function expectDims(field: string, got: readonly number[] | undefined, expected: readonly number[]): void {
  if (got === undefined || String(got) === String(expected)) return;
  throw misfit('DeformConv', field, got, expected);
}

/** The window attributes tell the number of axes where they are present. */
function check(_node: unknown, attributes: AttributeReader): string | undefined {
  const axes = attributes.ints('kernel_shape')?.length ?? attributes.ints('strides')?.length ?? 2;
  return axes <= 3 ? undefined : `${axes} spatial axes; one to three are built`;
}

export function deformConvReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = makeDeformConvProblem(requestOf(context, PLAIN_EPILOGUE));
  const offset = floatsOf(context, 2);
  const [src, weights] = [floatsOf(context, 0), floatsOf(context, 1)];
  const [bias, mask] = [optionalFloatsOf(context, 3), optionalFloatsOf(context, 4)];
  const squared = {
    offset,
    ...{ src: squares(src), weights: squares(weights), bias: squares(bias), mask: squares(mask) },
  };
  const values = referenceDeformConv(problem, { src, weights, offset, bias, mask });
  const walk = (): number => walkOf(referenceDeformConv(problem, squared));
  return [sums(problem.dstDims, values, deformConvSum(problem), walk)];
}

function lower(context: LowerContext): Lowering {
  const request = requestOf(context, context);
  const problem = makeDeformConvProblem(request);
  return loweringOf(context, selectDeformConv(problem, context.capabilities, kernelOptions(context)), {
    weights: { input: 1 },
    offset: { input: 2 },
    ...(request.epilogue.bias ? { bias: { input: 3 } } : {}),
    ...(problem.mask ? { mask: { input: 4 } } : {}),
  });
}

const deformConv: OperatorDefinition = {
  opType: 'DeformConv',
  domain: '',
  opsets: [19, 28],
  arity: [3, 5],
  attributes: ['dilations', 'group', 'kernel_shape', 'offset_group', 'pads', 'strides'],
  check,
  infer: (context) => {
    const { dstDims } = makeDeformConvProblem(requestOf(context, PLAIN_EPILOGUE));
    return [{ type: requireInput(context, 0).type, dims: dstDims }];
  },
  lower,
};

export const DEFORM_CONV_OPERATORS: readonly OperatorDefinition[] = [deformConv];
