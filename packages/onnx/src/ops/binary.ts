/**
 * Element-wise operators of two tensors with numpy broadcasting: arithmetic, Pow, PRelu and Mod. Before opset 7
 * they broadcast by attributes; that form is refused. https://onnx.ai/onnx/repo-docs/Broadcasting.html
 */
import {
  type BinaryFunction,
  type BinaryOperand,
  binaryReference,
  binarySum,
  broadcastDims,
  type Layout,
  makeBinaryProblem,
  misfit,
  selectBinary,
} from '@onegpu/kernels/core';
import { combineTensors } from '../host/broadcast.ts';
import { isFloatType, readNumbers } from '../host/numbers.ts';
import { notBuilt } from '../not-built.ts';
import type {
  LowerContext,
  Lowering,
  NodeContext,
  OperatorDefinition,
  ReferenceOutput,
  ValueInfo,
} from '../op-definition.ts';
import type { Tensor } from '../tensor.ts';
import { HOST_FUNCTIONS } from './binary-functions.ts';
import { broadcastLayouts } from './elementwise-layout.ts';
import { dispatchOf, requireFloat } from './gpu-operands.ts';
import { requireConstant, requireInput } from './host-input.ts';
import { kernelOptions } from './kernel-lowering.ts';
import { lowerMap, requireMapElement } from './map-lowering.ts';
import { constantPower, lowerPower, lowerToIntegers, raisesToIntegers } from './power.ts';
import { exact, sums } from './reference.ts';

const FUNCTIONS: Readonly<Record<string, BinaryFunction>> = {
  Add: 'add',
  Sub: 'sub',
  Mul: 'mul',
  Div: 'div',
  Pow: 'pow',
  PRelu: 'prelu',
  Mod: 'modulo',
};

export const BINARY_OPERATORS: readonly OperatorDefinition[] = Object.keys(FUNCTIONS).map((opType) => ({
  opType,
  domain: '',
  opsets: opType === 'Mod' ? [10, 28] : [7, 28],
  arity: [2, 2],
  attributes: opType === 'Mod' ? ['fmod'] : [],
  infer: inferBroadcast,
  evaluate: (context) => [evaluate(context)],
  layouts: (context, available) =>
    raisesToIntegers(context)
      ? { inputs: available.map(() => 'nchw'), outputs: ['nchw'] }
      : broadcastLayouts(context, available),
  lower,
}));

/** Type of the first input, the common shape of all; PRelu's slope must not widen its data. */
export function inferBroadcast(context: NodeContext): readonly ValueInfo[] {
  const { type, dims } = requireInput(context, 0);
  const all = context.inputs.map((_, index) => requireInput(context, index).dims);
  const result = broadcastDims(context.node.opType, all);
  const widened = result.length !== dims.length || result.some((extent, axis) => extent !== dims[axis]);
  if (context.node.opType === 'PRelu' && widened) {
    throw misfit('PRelu', 'slope', `[${all[1]?.join(', ')}]`, `a shape that fits [${dims.join(', ')}]`);
  }
  return [{ type, dims: result }];
}

function evaluate(context: NodeContext): Tensor {
  const { opType } = context.node;
  const lhs = requireConstant(context, 0);
  const asRemainder = opType === 'Mod' && context.attributes.int('fmod', 0) === 1;
  const combine = HOST_FUNCTIONS[asRemainder ? 'Remainder' : opType] ?? {};
  return combineTensors(opType, combine, lhs, requireConstant(context, 1));
}

function lower(context: LowerContext): Lowering {
  const name = functionOf(context);
  if (!isFloatType(requireInput(context, 0).type)) return lowerIntegers(context, name);
  requireFloat(context, 0);
  if (name === 'pow') {
    const power = constantPower(context);
    if (power !== undefined) return lowerPower(context, power);
    if (raisesToIntegers(context)) return lowerToIntegers(context);
  }
  requireFloat(context, 1);
  const problem = makeBinaryProblem({
    function: name,
    lhs: binaryOperand(context, 0),
    rhs: binaryOperand(context, 1),
    layout: context.layouts.outputs[0] ?? 'nchw',
    activation: context.activation,
  });
  const selection = selectBinary(problem, context.capabilities, kernelOptions(context));
  return dispatchOf(selection, { lhs: { input: 0 }, rhs: { input: 1 }, dst: { output: 0 } });
}

/** Exact, with wrap-around; the other operand is of the same type. */
function lowerIntegers(context: LowerContext, name: BinaryFunction): Lowering {
  const element = requireMapElement(context, 0);
  if (requireMapElement(context, 1) !== element) {
    const [base, exponent] = [requireInput(context, 0).type, requireInput(context, 1).type];
    throw notBuilt(context.node.opType, 'inputs', `${base} and ${exponent}`, 'one type');
  }
  return lowerMap(context, { function: name === 'pow' ? 'power' : name, element });
}

function functionOf({ attributes, node }: NodeContext): BinaryFunction {
  return attributes.int('fmod', 0) === 1 ? 'remainder' : (FUNCTIONS[node.opType] ?? 'add');
}

export function binaryReferenceOf(context: NodeContext): readonly ReferenceOutput[] {
  const name = functionOf(context);
  const lhs = requireConstant(context, 0);
  if (!isFloatType(lhs.type)) return exact([evaluate(context)]);
  const rhs = requireConstant(context, 1);
  const [{ dims } = lhs] = inferBroadcast(context);
  const operands = [lhs, rhs].map((operand) => ({ data: readNumbers(operand), dims: operand.dims }));
  const [left, right] = operands as [(typeof operands)[0], (typeof operands)[0]];
  return [sums(dims, binaryReference(name, left, right, dims), binarySum(name))];
}

/** How input `index` of a node arrives. */
export function binaryOperand(context: LowerContext, index: number): BinaryOperand {
  const { dims, constant } = requireInput(context, index);
  const layout: Layout = context.layouts.inputs[index] ?? 'nchw';
  return { dims, layout, constant: constant !== undefined };
}
