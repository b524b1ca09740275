/**
 * Comparisons, logic and tests for special values. A bool is a byte of 0 or 1 on the GPU. Floats are compared and
 * tested by their bits: a comparison with NaN is false, both zeros are equal.
 * https://onnx.ai/onnx/operators/onnx__Equal.html
 */
import {
  broadcastDims,
  type Comparison,
  type FloatTest,
  type MapElement,
  type MapFunction,
} from '@onegpu/kernels/core';
import { combineTensors, compareTensors } from '../host/broadcast.ts';
import { booleanTensor, integerTensor, readIntegers, readNumbers } from '../host/numbers.ts';
import { notBuilt } from '../not-built.ts';
import type { LowerContext, Lowering, NodeContext, OperatorDefinition } from '../op-definition.ts';
import type { Tensor } from '../tensor.ts';
import { COMPARISONS, HOST_FUNCTIONS } from './binary-functions.ts';
import { requireConstant, requireInput } from './host-input.ts';
import { lowerMap, requireMapElement } from './map-lowering.ts';

interface LogicOperator {
  readonly since: number;
  readonly arity: number;
  readonly attributes?: readonly string[];
  readonly result: 'bool' | 'same';
  evaluate(context: NodeContext): Tensor;
  lower(context: LowerContext): Lowering;
}

function logicOperator(opType: string, operator: LogicOperator): OperatorDefinition {
  return {
    opType,
    domain: '',
    opsets: [operator.since, 28],
    arity: [operator.arity, operator.arity],
    attributes: operator.attributes ?? [],
    infer: (context) => {
      const { type } = requireInput(context, 0);
      return [{ type: operator.result === 'bool' ? 'bool' : type, dims: commonDims(context) }];
    },
    evaluate: (context) => [operator.evaluate(context)],
    lower: (context) => operator.lower(context),
  };
}

/** The shape that all inputs broadcast to. */
export function commonDims(context: NodeContext): readonly number[] {
  const all = context.inputs.map((_, index) => requireInput(context, index).dims);
  return broadcastDims(context.node.opType, all);
}

function comparison(opType: string, since: number, name: Comparison): OperatorDefinition {
  return logicOperator(opType, {
    since,
    arity: 2,
    result: 'bool',
    evaluate: (context) => {
      const compare = COMPARISONS[opType] ?? (() => false);
      return compareTensors(opType, compare, requireConstant(context, 0), requireConstant(context, 1));
    },
    lower: (context) => lowerMap(context, { function: name, element: requireMapElement(context, 0) }),
  });
}

function bitwise(opType: string, since: number, name: MapFunction): OperatorDefinition {
  return logicOperator(opType, {
    since,
    arity: 2,
    result: 'same',
    evaluate: (context) => {
      const combine = HOST_FUNCTIONS[opType] ?? {};
      return combineTensors(opType, combine, requireConstant(context, 0), requireConstant(context, 1));
    },
    lower: (context) => lowerMap(context, { function: name, element: requireInteger(context) }),
  });
}

/** @throws NotBuiltError where input 0 holds floats, for which there are no bits to combine. */
function requireInteger(context: LowerContext): MapElement {
  const element = requireMapElement(context, 0);
  if (element !== 'f32') return element;
  throw notBuilt(context.node.opType, 'inputs[0]', requireInput(context, 0).type, 'integers or bool');
}

function floatTest(
  opType: string,
  operator: {
    readonly since: number;
    readonly attributes: readonly string[];
    holds(x: number, context: NodeContext): boolean;
    /** Undefined where nothing can hold. */
    kernel(context: NodeContext): FloatTest | undefined;
  },
): OperatorDefinition {
  return logicOperator(opType, {
    since: operator.since,
    arity: 1,
    attributes: operator.attributes,
    result: 'bool',
    evaluate: (context) => {
      const tensor = requireConstant(context, 0);
      const held = readNumbers(tensor).map((x) => operator.holds(x, context));
      return booleanTensor(held, tensor.dims);
    },
    lower: (context) => {
      const element = 'f32';
      const name = operator.kernel(context);
      // x < x holds for no x.
      if (name === undefined) return lowerMap(context, { function: 'less', element, inputs: [0, 0] });
      return lowerMap(context, { function: name, element });
    },
  });
}

const detects = ({ attributes }: NodeContext, sign: 'negative' | 'positive'): boolean =>
  attributes.int(`detect_${sign}`, 1) !== 0;

function infinityTest(context: NodeContext): FloatTest | undefined {
  if (detects(context, 'positive')) return detects(context, 'negative') ? 'is-infinite' : 'is-plus-infinity';
  return detects(context, 'negative') ? 'is-minus-infinity' : undefined;
}

export const LOGIC_OPERATORS: readonly OperatorDefinition[] = [
  comparison('Equal', 7, 'equal'),
  comparison('Greater', 7, 'greater'),
  comparison('GreaterOrEqual', 12, 'greater-or-equal'),
  comparison('Less', 7, 'less'),
  comparison('LessOrEqual', 12, 'less-or-equal'),
  bitwise('And', 7, 'and'),
  bitwise('Or', 7, 'or'),
  bitwise('Xor', 7, 'xor'),
  bitwise('BitwiseAnd', 18, 'and'),
  bitwise('BitwiseOr', 18, 'or'),
  bitwise('BitwiseXor', 18, 'xor'),
  logicOperator('Not', {
    since: 1,
    arity: 1,
    result: 'bool',
    evaluate: (context) => {
      const tensor = requireConstant(context, 0);
      return booleanTensor(
        readIntegers(tensor).map((x) => x === 0n),
        tensor.dims,
      );
    },
    lower: (context) => lowerMap(context, { function: 'not', element: 'bool' }),
  }),
  logicOperator('BitwiseNot', {
    since: 18,
    arity: 1,
    result: 'same',
    evaluate: (context) => {
      const { type, dims } = requireConstant(context, 0);
      const values = readIntegers(requireConstant(context, 0)).map((x) => ~x);
      return integerTensor(type, values, dims);
    },
    lower: (context) => lowerMap(context, { function: 'complement', element: requireInteger(context) }),
  }),
  floatTest('IsNaN', { since: 9, attributes: [], holds: Number.isNaN, kernel: () => 'is-nan' }),
  floatTest('IsInf', {
    since: 10,
    attributes: ['detect_negative', 'detect_positive'],
    holds: (x, context) =>
      Math.abs(x) === Number.POSITIVE_INFINITY && detects(context, x < 0 ? 'negative' : 'positive'),
    kernel: infinityTest,
  }),
];
