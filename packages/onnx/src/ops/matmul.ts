/**
 * MatMul: numpy's matrix product, ranks 1 to N with broadcasting batch dimensions; one meaning since opset 1.
 * https://onnx.ai/onnx/operators/onnx__MatMul.html
 */
import {
  GEMM_ALGORITHMS,
  type GemmProblem,
  makeMatMulProblem,
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
import { floatInput } from './float-operands.ts';
import { gemmOutput } from './gemm-reference.ts';
import { requireInput } from './host-input.ts';
import { kernelOptions, loweringOf } from './kernel-lowering.ts';
import { floatsOf } from './reference.ts';

function problemOf(context: NodeContext, fused: Pick<GemmProblem, 'activation' | 'residual'>): GemmProblem {
  const weights = floatInput(context, 1);
  return makeMatMulProblem({
    srcDims: floatInput(context, 0).dims,
    weightsDims: weights.dims,
    weightsConstant: weights.constant !== undefined,
    ...fused,
  });
}

function lower(context: LowerContext): Lowering {
  const { activation, residual, capabilities } = context;
  const problem = problemOf(context, { activation, residual });
  return {
    ...loweringOf(context, selectGemm(problem, capabilities, kernelOptions(context)), {
      weights: { input: 1 },
    }),
    layer: tunableLayer(problem.operator, GEMM_ALGORITHMS, problem, capabilities),
  };
}

const matmul: OperatorDefinition = {
  opType: 'MatMul',
  domain: '',
  opsets: [1, 28],
  arity: [2, 2],
  attributes: [],
  infer: (context) => [
    {
      type: requireInput(context, 0).type,
      dims: problemOf(context, { activation: [], residual: false }).dstDims,
    },
  ],
  lower,
};

export function matmulReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = problemOf(context, { activation: [], residual: false });
  const operands = { src: floatsOf(context, 0), weights: floatsOf(context, 1) };
  return [gemmOutput(problem, operands)];
}

export const MATMUL_OPERATORS: readonly OperatorDefinition[] = [matmul];
