/**
 * MatMul: numpy's matrix product, ranks 1 to N with broadcasting batch dimensions; one meaning since opset 1.
 * https://onnx.ai/onnx/operators/onnx__MatMul.html
 */
import { type GemmProblem, makeMatMulProblem, selectGemm } from '@onegpu/kernels';
import type { LowerContext, Lowering, NodeContext, OperatorDefinition } from '../op-definition.ts';
import { floatInput } from './float-operands.ts';

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
  const problem = problemOf(context, { activation: context.activation, residual: context.residual });
  const { mode, algorithm, capabilities } = context;
  const selection = selectGemm(problem, capabilities, {
    mode,
    ...(algorithm === undefined ? {} : { algorithm }),
  });
  return {
    kind: 'dispatch',
    plan: selection.plan,
    operands: {
      src: { input: 0 },
      weights: { input: 1 },
      dst: { output: 0 },
      ...(problem.residual ? { residual: { residual: true } } : {}),
    },
    refused: selection.refused,
  };
}

const matmul: OperatorDefinition = {
  opType: 'MatMul',
  domain: '',
  opsets: [1, 22],
  arity: [2, 2],
  attributes: [],
  infer: (context) => [
    { type: 'float32', dims: problemOf(context, { activation: [], residual: false }).dstDims },
  ],
  lower,
};

export const MATMUL_OPERATORS: readonly OperatorDefinition[] = [matmul];
