/**
 * Sum, Mean, Min and Max of any number of tensors: a chain of two-operand passes over two alternating scratch
 * ranges; the fused activation, and Mean's division, come with the last one.
 * https://onnx.ai/onnx/operators/onnx__Sum.html
 */
import type { DispatchPlan } from '@onegpu/core';
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
  mapElementBytes,
  type ReferenceOperand,
  selectBinary,
  selectUnary,
} from '@onegpu/kernels/core';
import { combineTensors } from '../host/broadcast.ts';
import { floatTensor, isFloatType, readNumbers } from '../host/numbers.ts';
import { notBuilt } from '../not-built.ts';
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
import { dispatchOf, requireFloat } from './gpu-operands.ts';
import { requireConstant, requireInput } from './host-input.ts';
import { joinPlans, renameOperands } from './join-plans.ts';
import { kernelOptions } from './kernel-lowering.ts';
import { planMap, requireElement, requireMapElement } from './map-lowering.ts';
import { exact, floatValues, sums } from './reference.ts';

const MOST_INPUTS = 2 ** 31 - 1;

/** Mean divides at the end. */
const COMBINATIONS: Readonly<Record<string, BinaryFunction>> = {
  Sum: 'add',
  Mean: 'add',
  Min: 'min',
  Max: 'max',
};

export const VARIADIC_OPERATORS: readonly OperatorDefinition[] = Object.entries(COMBINATIONS).map(
  ([opType, combine]): OperatorDefinition => ({
    opType,
    domain: '',
    opsets: [1, 28],
    arity: [1, MOST_INPUTS],
    attributes: ['consumed_inputs'],
    infer: inferBroadcast,
    evaluate: (context) => [evaluate(context)],
    layouts: variadicLayouts,
    lower: (context) => lower(context, combine),
  }),
);

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

export function variadicReference(context: NodeContext): readonly ReferenceOutput[] {
  const { opType } = context.node;
  const combine = COMBINATIONS[opType] ?? 'add';
  const operands = context.inputs.map((_, index) => requireConstant(context, index));
  if (!isFloatType(requireInput(context, 0).type)) return exact([evaluate(context)]);
  const total = operands
    .map((tensor): ReferenceOperand => ({ data: floatValues(tensor), dims: tensor.dims }))
    .reduce((lhs, rhs) => {
      const dims = broadcastDims(opType, [lhs.dims, rhs.dims]);
      return { data: binaryReference(combine, lhs, rhs, dims), dims };
    });
  const divisor = opType === 'Mean' ? operands.length : 1;
  const values = new Float64Array(total.data).map((value) => value / divisor);
  return [sums(total.dims, values, binarySum(combine, operands.length))];
}

function lower(context: LowerContext, combine: BinaryFunction): Lowering {
  const count = context.inputs.length;
  if (!isFloatType(requireInput(context, 0).type)) return lowerIntegers(context, combine);
  context.inputs.forEach((_, index) => {
    requireFloat(context, index);
  });
  const mean: readonly Activation[] = [{ kind: 'affine', scale: 1 / count, shift: 0 }];
  const activation = [...(context.node.opType === 'Mean' ? mean : []), ...context.activation];
  if (count > 1) return lowerFloatChain(context, combine, activation);
  const layout = context.layouts.inputs[0] ?? 'nchw';
  const problem = makeUnaryProblem({ dims: requireInput(context, 0).dims, layout, activation });
  const selection = selectUnary(problem, context.capabilities, kernelOptions(context));
  return dispatchOf(selection, { src: { input: 0 }, dst: { output: 0 } });
}

function lowerFloatChain(
  context: LowerContext,
  combine: BinaryFunction,
  activation: readonly Activation[],
): Lowering {
  const layout = context.layouts.outputs[0] ?? 'nchw';
  let lhs: BinaryOperand = binaryOperand(context, 0);
  return lowerChain(context, (index, last) => {
    const rhs = binaryOperand(context, index);
    const steps = last ? activation : [];
    const problem = makeBinaryProblem({ function: combine, lhs, rhs, layout, activation: steps });
    lhs = { dims: problem.dims, layout, constant: false };
    const { plan } = selectBinary(problem, context.capabilities, kernelOptions(context));
    return { plan, operands: ['lhs', 'rhs'], bytes: problem.elements * 4 };
  });
}

/** Partial results are whole words; the last pass wraps to the type, and so do all before it modulo its size. */
function lowerIntegers(context: LowerContext, combine: BinaryFunction): Lowering {
  const element = requireMapElement(context, 0);
  if (context.node.opType === 'Mean' || element === 'bool') {
    throw notBuilt(context.node.opType, 'inputs[0]', requireInput(context, 0).type, 'numbers');
  }
  if (context.inputs.length === 1) return { kind: 'alias', input: 0 };
  const name = combine === 'pow' ? 'power' : combine;
  let { dims } = requireInput(context, 0);
  return lowerChain(context, (index) => {
    requireElement(context, index, element);
    const operands = [dims, requireInput(context, index).dims];
    const { problem, selection } = planMap(context, { function: name, element, operands });
    dims = problem.dims;
    return {
      plan: selection.plan,
      operands: ['src0', 'src1'],
      bytes: problem.elements * mapElementBytes(element),
    };
  });
}

interface ChainStep {
  readonly plan: DispatchPlan;
  /** The plan's names of the result so far and of the next input. */
  readonly operands: readonly [string, string];
  /** Of the result. */
  readonly bytes: number;
}

/** Each input from the second on is combined with the result so far, which alternates between two scratch ranges. */
function lowerChain(context: LowerContext, planStep: (index: number, last: boolean) => ChainStep): Lowering {
  const count = context.inputs.length;
  const sources: Record<string, OperandSource> = { dst: { output: 0 } };
  for (let index = 0; index < count; index++) sources[`input${index}`] = { input: index };
  const plans: DispatchPlan[] = [];
  const sizes = [0, 0];
  const scratch = (position: number): string => `partial${position % 2}`;
  for (let index = 1; index < count; index++) {
    const last = index === count - 1;
    const { plan, operands, bytes } = planStep(index, last);
    const [total, next] = operands;
    plans.push(
      renameOperands(plan, {
        [total]: index === 1 ? 'input0' : scratch(index - 1),
        [next]: `input${index}`,
        dst: last ? 'dst' : scratch(index),
      }),
    );
    if (!last) sizes[index % 2] = Math.max(sizes[index % 2] ?? 0, bytes);
  }
  return dispatchOf({ plan: joinPlans(plans, sizes) }, sources);
}
