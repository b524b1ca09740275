/**
 * Sum, Mean, Min and Max of any number of tensors: a chain of two-operand passes over two alternating scratch
 * ranges; the fused activation, and Mean's division, come with the last one.
 * https://onnx.ai/onnx/operators/onnx__Sum.html
 */
import type { DispatchPass, DispatchPlan } from '@onegpu/core';
import {
  type Activation,
  type BinaryFunction,
  type BinaryOperand,
  binaryReference,
  binarySum,
  broadcastDims,
  type Layout,
  makeBinaryProblem,
  makeUnaryProblem,
  type ReferenceOperand,
  selectBinary,
  selectUnary,
} from '@onegpu/kernels';
import { combineTensors } from '../host/broadcast.ts';
import { floatTensor, readNumbers } from '../host/numbers.ts';
import type {
  LayoutChoice,
  LowerContext,
  Lowering,
  NodeContext,
  OperandSource,
  OperatorDefinition,
  ReferenceOutput,
} from '../op-definition.ts';
import type { Tensor } from '../tensor.ts';
import { binaryOperand, inferBroadcast } from './binary.ts';
import { HOST_FUNCTIONS } from './binary-functions.ts';
import { broadcastLayouts } from './elementwise-layout.ts';
import { dispatchOf, kernelOptions, requireFloat } from './gpu-operands.ts';
import { requireConstant, requireInput } from './host-input.ts';
import { sums } from './reference.ts';

const MOST_INPUTS = 2 ** 31 - 1;

export const VARIADIC_OPERATORS: readonly OperatorDefinition[] = [
  variadic('Sum', 'add'),
  variadic('Mean', 'add'),
  variadic('Min', 'min'),
  variadic('Max', 'max'),
];

function variadic(opType: string, combine: BinaryFunction): OperatorDefinition {
  return {
    opType,
    domain: '',
    opsets: [1, 28],
    arity: [1, MOST_INPUTS],
    attributes: ['consumed_inputs'],
    infer: inferBroadcast,
    evaluate: (context) => [evaluate(context)],
    layouts: variadicLayouts,
    reference: (context) => [reference(context, combine)],
    lower: (context) => lower(context, combine),
  };
}

/** Partial results must have the result's rank already, so with three operands or more each must have it. */
function variadicLayouts(context: NodeContext, available: readonly Layout[]): LayoutChoice {
  const ranks = new Set(context.inputs.map((input) => input?.dims.length ?? 0));
  if (context.inputs.length <= 2 || ranks.size === 1) return broadcastLayouts(context, available);
  return { inputs: available.map(() => 'nchw'), outputs: ['nchw'] };
}

function evaluate(context: NodeContext): Tensor {
  const { opType } = context.node;
  const tensors = context.inputs.map((_, index) => requireConstant(context, index));
  const combine = HOST_FUNCTIONS[opType] ?? {};
  const total = tensors.reduce((lhs, rhs) => combineTensors(opType, combine, lhs, rhs));
  if (opType !== 'Mean') return total;
  const values = readNumbers(total).map((value) => value / tensors.length);
  return floatTensor(total.type, values, total.dims);
}

function reference(context: NodeContext, combine: BinaryFunction): ReferenceOutput {
  const { opType } = context.node;
  const operands = context.inputs.map((_, index) => requireConstant(context, index));
  const total = operands
    .map(({ data, dims }): ReferenceOperand => ({ data: data as Float32Array, dims }))
    .reduce((lhs, rhs) => {
      const dims = broadcastDims(opType, [lhs.dims, rhs.dims]);
      return { data: binaryReference(combine, lhs, rhs, dims), dims };
    });
  const divisor = opType === 'Mean' ? operands.length : 1;
  const values = new Float64Array(total.data).map((value) => value / divisor);
  return sums(total.dims, values, binarySum(combine, operands.length));
}

function lower(context: LowerContext, combine: BinaryFunction): Lowering {
  const count = context.inputs.length;
  context.inputs.forEach((_, index) => {
    requireFloat(context, index);
  });
  const mean: readonly Activation[] = [{ kind: 'affine', scale: 1 / count, shift: 0 }];
  const activation = [...(context.node.opType === 'Mean' ? mean : []), ...context.activation];
  if (count > 1) return lowerChain(context, combine, activation);
  const layout = context.layouts.inputs[0] ?? 'nchw';
  const problem = makeUnaryProblem({ dims: requireInput(context, 0).dims, layout, activation });
  const selection = selectUnary(problem, context.capabilities, kernelOptions(context));
  return dispatchOf(selection, { src: { input: 0 }, dst: { output: 0 } });
}

function lowerChain(
  context: LowerContext,
  combine: BinaryFunction,
  activation: readonly Activation[],
): Lowering {
  const count = context.inputs.length;
  const layout = context.layouts.outputs[0] ?? 'nchw';
  const operands: Record<string, OperandSource> = { dst: { output: 0 } };
  for (let index = 0; index < count; index++) operands[`src${index}`] = { input: index };
  const plans: DispatchPlan[] = [];
  const sizes = [0, 0];
  let lhs: BinaryOperand = binaryOperand(context, 0);
  for (let index = 1; index < count; index++) {
    const last = index === count - 1;
    const problem = makeBinaryProblem({
      function: combine,
      lhs,
      rhs: binaryOperand(context, index),
      layout,
      activation: last ? activation : [],
    });
    const { plan } = selectBinary(problem, context.capabilities, kernelOptions(context));
    const scratch = (position: number): string => `partial${position % 2}`;
    plans.push(
      renameOperands(plan, {
        lhs: index === 1 ? 'src0' : scratch(index - 1),
        rhs: `src${index}`,
        dst: last ? 'dst' : scratch(index),
      }),
    );
    if (!last) sizes[index % 2] = Math.max(sizes[index % 2] ?? 0, problem.elements * 4);
    lhs = { dims: problem.dims, layout, constant: false };
  }
  return dispatchOf({ plan: joinPlans(plans, sizes) }, operands);
}

function renameOperands(plan: DispatchPlan, names: Readonly<Record<string, string>>): DispatchPlan {
  const rename = <T extends { readonly operand: string }>(entry: T): T => ({
    ...entry,
    operand: names[entry.operand] ?? entry.operand,
  });
  const passes = plan.passes.map((pass): DispatchPass => ({ ...pass, bindings: pass.bindings.map(rename) }));
  return { ...plan, passes, packing: plan.packing.map(rename) };
}

function joinPlans(plans: readonly DispatchPlan[], scratchBytes: readonly number[]): DispatchPlan {
  const [first] = plans as readonly [DispatchPlan, ...DispatchPlan[]];
  return {
    ...first,
    passes: plans.flatMap((plan) => plan.passes),
    packing: plans.flatMap((plan) => plan.packing),
    scratch: scratchBytes.flatMap((bytes, index) =>
      bytes === 0 ? [] : [{ operand: `partial${index}`, bytes }],
    ),
    cost: {
      flops: plans.reduce((sum, plan) => sum + plan.cost.flops, 0),
      bytes: plans.reduce((sum, plan) => sum + plan.cost.bytes, 0),
    },
  };
}
