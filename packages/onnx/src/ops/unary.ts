/**
 * Element-wise operators of one tensor, Clip, and the chain of steps that fusion makes of several (`onegpu`
 * Activation). On the host they run in float64 and round at the end; integers have their own few functions.
 * https://onnx.ai/onnx/operators/onnx__Clip.html
 */
import { type ErrorDetails, GpuKernelShapeError } from '@onegpu/core';
import {
  type Activation,
  applyActivation,
  type MapFunction,
  makeUnaryProblem,
  selectUnary,
  unarySum,
} from '@onegpu/kernels/core';
import { floatTensor, integerTensor, isFloatType, readIntegers, readNumbers } from '../host/numbers.ts';
import { NotBuiltError } from '../not-built.ts';
import type {
  LowerContext,
  Lowering,
  NodeContext,
  OperatorDefinition,
  ReferenceOutput,
  ValueInfo,
} from '../op-definition.ts';
import type { Tensor } from '../tensor.ts';
import { unaryLayouts } from './elementwise-layout.ts';
import { dispatchOf, requireFloat } from './gpu-operands.ts';
import { requireConstant, requireInput } from './host-input.ts';
import { kernelOptions } from './kernel-lowering.ts';
import { lowerMap, requireMapElement } from './map-lowering.ts';
import { exact, floatValues, sums } from './reference.ts';
import { UNARY_STEPS, type UnaryOperator } from './unary-steps.ts';

export const UNARY_OPERATORS: readonly OperatorDefinition[] = [
  ...UNARY_STEPS.map(unaryOperator),
  {
    opType: 'Clip',
    domain: '',
    opsets: [1, 28],
    arity: [1, 3],
    attributes: ['min', 'max', 'consumed_inputs'],
    infer: sameShape,
    evaluate: (context) => [clipOnHost(context)],
    layouts: unaryLayouts,
    lower: (context) =>
      isFloatType(requireInput(context, 0).type)
        ? lowerSteps(context, [clipStep(context)])
        : lowerIntegerClip(context),
  },
  {
    opType: 'Activation',
    domain: 'onegpu',
    opsets: [1, 28],
    arity: [1, 1],
    attributes: [],
    infer: sameShape,
    layouts: unaryLayouts,
    lower: (context) => lowerSteps(context, []),
  },
];

function unaryOperator({ opType, since, attributes, steps }: UnaryOperator): OperatorDefinition {
  return {
    opType,
    domain: '',
    opsets: [since, 28],
    arity: [1, 1],
    attributes,
    check: (_, reader) => {
      if (opType !== 'Gelu') return undefined;
      const form = reader.string('approximate', 'none');
      return form === 'none' || form === 'tanh' ? undefined : `approximate = "${form}" is unknown`;
    },
    infer: sameShape,
    evaluate: (context) => [applyOnHost(context, steps(context.attributes))],
    layouts: unaryLayouts,
    lower: (context) =>
      isFloatType(requireInput(context, 0).type)
        ? lowerSteps(context, steps(context.attributes))
        : lowerInteger(context),
  };
}

function sameShape(context: NodeContext): readonly ValueInfo[] {
  const { type, dims } = requireInput(context, 0);
  return [{ type, dims }];
}

function lowerSteps(context: LowerContext, steps: readonly Activation[]): Lowering {
  const problem = makeUnaryProblem({
    dims: requireFloat(context, 0).dims,
    layout: context.layouts.inputs[0] ?? 'nchw',
    activation: [...steps, ...context.activation],
  });
  const selection = selectUnary(problem, context.capabilities, kernelOptions(context));
  return dispatchOf(selection, { src: { input: 0 }, dst: { output: 0 } });
}

const INTEGER_KERNELS: Readonly<Record<string, MapFunction>> = {
  Neg: 'neg',
  Abs: 'abs',
  Sign: 'sign',
  Relu: 'relu',
};

function lowerInteger(context: LowerContext): Lowering {
  const name = INTEGER_KERNELS[context.node.opType];
  const { type } = requireInput(context, 0);
  if (name === undefined || type === 'bool') throw new NotBuiltError(NO_MEANING, typeDetails(context, type));
  return lowerMap(context, { function: name, element: requireMapElement(context, 0) });
}

/** Bounds may be computed on the GPU; an absent one is no bound. */
function lowerIntegerClip(context: LowerContext): Lowering {
  const element = requireMapElement(context, 0);
  const [min, max] = [context.inputs[1] !== undefined, context.inputs[2] !== undefined];
  if (min && max) return lowerMap(context, { function: 'clip', element });
  if (min) return lowerMap(context, { function: 'max', element, inputs: [0, 1] });
  if (max) return lowerMap(context, { function: 'min', element, inputs: [0, 2] });
  return { kind: 'alias', input: 0 };
}

export function unaryReference(context: NodeContext): readonly ReferenceOutput[] {
  const src = requireConstant(context, 0);
  const clips = context.node.opType === 'Clip';
  if (!isFloatType(src.type)) return exact([clips ? clipOnHost(context) : applyOnHost(context, [])]);
  const steps = clips ? [clipStep(context)] : stepsOf(context);
  const values = new Float64Array(floatValues(src)).map((x) => applyActivation(steps, x));
  return [sums(src.dims, values, unarySum(steps))];
}

/** The steps of every operator here but Clip. */
function stepsOf({ node, attributes }: NodeContext): readonly Activation[] {
  const operator = UNARY_STEPS.find(({ opType }) => opType === node.opType);
  return operator?.steps(attributes) ?? node.epilogue.activation;
}

function applyOnHost(context: NodeContext, steps: readonly Activation[]): Tensor {
  const tensor = requireConstant(context, 0);
  const { type, dims } = tensor;
  if (isFloatType(type)) {
    const values = readNumbers(tensor).map((x) => applyActivation(steps, x));
    return floatTensor(type, values, dims);
  }
  const apply = INTEGER_FUNCTIONS[context.node.opType];
  if (apply === undefined) throw wrongType(context, type);
  return integerTensor(type, readIntegers(tensor).map(apply), dims);
}

const INTEGER_FUNCTIONS: Readonly<Record<string, (x: bigint) => bigint>> = {
  Neg: (x) => -x,
  Abs: (x) => (x < 0n ? -x : x),
  Sign: (x) => (x === 0n ? 0n : x < 0n ? -1n : 1n),
  Relu: (x) => (x < 0n ? 0n : x),
};

const NO_MEANING = 'the operator has no meaning for this type';

function wrongType(context: NodeContext, type: string): GpuKernelShapeError {
  return new GpuKernelShapeError(NO_MEANING, typeDetails(context, type));
}

function typeDetails(context: NodeContext, type: string): ErrorDetails {
  return {
    subject: context.node.opType,
    field: 'inputs[0]',
    got: type,
    expected: 'a floating-point type',
  };
}

/** Bounds are attributes before opset 11 and scalar inputs from then on; an absent one is no bound. */
function clipBound(context: NodeContext, index: number, name: 'min' | 'max', none: number): Tensor | number {
  if (context.inputs[index] !== undefined) return requireConstant(context, index);
  return context.attributes.float(name, none);
}

function clipStep(context: NodeContext): Activation {
  const read = (bound: Tensor | number, none: number): number =>
    typeof bound === 'number' ? bound : (readNumbers(bound)[0] ?? none);
  const [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return {
    kind: 'clip',
    min: read(clipBound(context, 1, 'min', low), low),
    max: read(clipBound(context, 2, 'max', high), high),
  };
}

function clipOnHost(context: NodeContext): Tensor {
  const tensor = requireConstant(context, 0);
  if (isFloatType(tensor.type)) return applyOnHost(context, [clipStep(context)]);
  const bound = (index: number): bigint | undefined =>
    context.inputs[index] === undefined ? undefined : readIntegers(requireConstant(context, index))[0];
  const [min, max] = [bound(1), bound(2)];
  const values = readIntegers(tensor).map((x) => {
    const raised = min !== undefined && x < min ? min : x;
    return max !== undefined && raised > max ? max : raised;
  });
  return integerTensor(tensor.type, values, tensor.dims);
}
