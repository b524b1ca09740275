/**
 * Gemm: Y = alpha * A' * B' + beta * C. Versions differ in types and in how C broadcasts (before 7 only where the
 * attribute `broadcast` says so); C became optional in 11.
 * https://onnx.ai/onnx/operators/onnx__Gemm.html
 */
import { GpuKernelShapeError } from '@onegpu/core';
import {
  GEMM_ALGORITHMS,
  type GemmProblem,
  makeGemmProblem,
  selectGemm,
  tunableLayer,
} from '@onegpu/kernels/core';
import type {
  LowerContext,
  Lowering,
  NodeContext,
  OperatorDefinition,
  ReferenceOutput,
} from '../op-definition.ts';
import { floatInput, optionalFloatInput } from './float-operands.ts';
import { gemmOutput } from './gemm-reference.ts';
import { requireInput } from './host-input.ts';
import { kernelOptions, loweringOf } from './kernel-lowering.ts';
import { floatsOf, optionalFloatsOf } from './reference.ts';

function problemOf(context: NodeContext, fused: Pick<GemmProblem, 'activation' | 'residual'>): GemmProblem {
  const { attributes } = context;
  const weights = floatInput(context, 1);
  const problem = makeGemmProblem({
    srcDims: floatInput(context, 0).dims,
    weightsDims: weights.dims,
    biasDims: optionalFloatInput(context, 2)?.dims,
    transA: attributes.int('transA', 0) !== 0,
    transB: attributes.int('transB', 0) !== 0,
    alpha: attributes.float('alpha', 1),
    beta: attributes.float('beta', 1),
    weightsConstant: weights.constant !== undefined,
    ...fused,
  });
  checkOldBroadcast(context, problem);
  return problem;
}

/** Before opset 7 C broadcasts only on request. */
function checkOldBroadcast(context: NodeContext, problem: GemmProblem): void {
  const dims = context.inputs[2]?.dims;
  if (context.opset >= 7 || dims === undefined || context.attributes.int('broadcast', 0) !== 0) return;
  if (dims.length === 2 && dims.every((extent, axis) => extent === problem.dstDims[axis])) return;
  throw new GpuKernelShapeError('C needs the attribute broadcast before opset 7', {
    subject: `Gemm "${context.node.name}"`,
    field: 'C',
    got: `[${dims.join(', ')}]`,
    expected: `[${problem.dstDims.join(', ')}]`,
  });
}

function lower(context: LowerContext): Lowering {
  const { activation, residual, capabilities } = context;
  const problem = problemOf(context, { activation, residual });
  return {
    ...loweringOf(context, selectGemm(problem, capabilities, kernelOptions(context)), {
      weights: { input: 1 },
      ...(problem.addend === 'none' ? {} : { bias: { input: 2 } }),
    }),
    layer: tunableLayer(problem.operator, GEMM_ALGORITHMS, problem, capabilities),
  };
}

const gemm: OperatorDefinition = {
  opType: 'Gemm',
  domain: '',
  opsets: [1, 28],
  arity: [2, 3],
  attributes: ['alpha', 'beta', 'transA', 'transB', 'broadcast'],
  check(node, attributes, opset) {
    if (opset >= 7 && attributes.has('broadcast')) return `attribute broadcast ended with opset 6`;
    return opset < 11 && (node.inputs[2] ?? '') === '' ? `C is required before opset 11` : undefined;
  },
  infer: (context) => [
    {
      type: requireInput(context, 0).type,
      dims: problemOf(context, { activation: [], residual: false }).dstDims,
    },
  ],
  lower,
};

export function gemmReferenceOf(context: NodeContext): readonly ReferenceOutput[] {
  const problem = problemOf(context, { activation: [], residual: false });
  const operands = {
    src: floatsOf(context, 0),
    weights: floatsOf(context, 1),
    bias: optionalFloatsOf(context, 2),
  };
  return [gemmOutput(problem, operands)];
}

export const GEMM_OPERATORS: readonly OperatorDefinition[] = [gemm];
