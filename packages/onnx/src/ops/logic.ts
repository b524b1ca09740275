/**
 * Comparisons, logic, Where and tests for special values. They run on the host only: in vision models they are
 * shape arithmetic. On the GPU a bool tensor has no form, and a model that needs one is refused while planning.
 */
import { broadcastDims } from '@onegpu/kernels';
import { broadcastTensors, combineTensors, compareTensors } from '../host/broadcast.ts';
import { booleanTensor, integerTensor, readIntegers, readNumbers } from '../host/numbers.ts';
import type { NodeContext, OperatorDefinition } from '../op-definition.ts';
import { allocateData, Tensor } from '../tensor.ts';
import { COMPARISONS, HOST_FUNCTIONS } from './binary-functions.ts';
import { requireConstant, requireInput } from './host-input.ts';

const hostOperator = (
  opType: string,
  since: number,
  arity: number,
  rest: Pick<OperatorDefinition, 'infer' | 'evaluate'> & { readonly attributes?: readonly string[] },
): OperatorDefinition => ({
  opType,
  domain: '',
  opsets: [since, 28],
  arity: [arity, arity],
  attributes: [],
  ...rest,
});

const commonDims = (context: NodeContext): readonly number[] =>
  broadcastDims(
    context.node.opType,
    context.inputs.map((_, index) => requireInput(context, index).dims),
  );

const comparison = (opType: string, since: number): OperatorDefinition =>
  hostOperator(opType, since, 2, {
    infer: (context) => [{ type: 'bool', dims: commonDims(context) }],
    evaluate: (context) => {
      const compare = COMPARISONS[opType] ?? (() => false);
      return [compareTensors(opType, compare, requireConstant(context, 0), requireConstant(context, 1))];
    },
  });

const logic = (opType: string, since: number): OperatorDefinition =>
  hostOperator(opType, since, 2, {
    infer: (context) => [{ type: requireInput(context, 0).type, dims: commonDims(context) }],
    evaluate: (context) => [
      combineTensors(
        opType,
        HOST_FUNCTIONS[opType] ?? {},
        requireConstant(context, 0),
        requireConstant(context, 1),
      ),
    ],
  });

const special = (opType: string, since: number, attributes: readonly string[], test: SpecialTest) =>
  hostOperator(opType, since, 1, {
    attributes,
    infer: (context) => [{ type: 'bool', dims: requireInput(context, 0).dims }],
    evaluate: (context) => {
      const tensor = requireConstant(context, 0);
      return [
        booleanTensor(
          readNumbers(tensor).map((x) => test(x, context)),
          tensor.dims,
        ),
      ];
    },
  });

type SpecialTest = (x: number, context: NodeContext) => boolean;

export const LOGIC_OPERATORS: readonly OperatorDefinition[] = [
  comparison('Equal', 7),
  comparison('Greater', 7),
  comparison('GreaterOrEqual', 12),
  comparison('Less', 7),
  comparison('LessOrEqual', 12),
  logic('And', 7),
  logic('Or', 7),
  logic('Xor', 7),
  logic('BitwiseAnd', 18),
  logic('BitwiseOr', 18),
  logic('BitwiseXor', 18),
  hostOperator('Not', 1, 1, {
    infer: (context) => [{ type: 'bool', dims: requireInput(context, 0).dims }],
    evaluate: (context) => {
      const tensor = requireConstant(context, 0);
      return [
        booleanTensor(
          readIntegers(tensor).map((x) => x === 0n),
          tensor.dims,
        ),
      ];
    },
  }),
  hostOperator('BitwiseNot', 18, 1, {
    infer: (context) => [{ type: requireInput(context, 0).type, dims: requireInput(context, 0).dims }],
    evaluate: (context) => {
      const tensor = requireConstant(context, 0);
      return [
        integerTensor(
          tensor.type,
          readIntegers(tensor).map((x) => ~x),
          tensor.dims,
        ),
      ];
    },
  }),
  special('IsNaN', 9, [], Number.isNaN),
  special('IsInf', 10, ['detect_negative', 'detect_positive'], (x, { attributes }) =>
    x < 0
      ? x === Number.NEGATIVE_INFINITY && attributes.int('detect_negative', 1) !== 0
      : x === Number.POSITIVE_INFINITY && attributes.int('detect_positive', 1) !== 0,
  ),
  hostOperator('Where', 9, 3, {
    infer: (context) => [{ type: requireInput(context, 1).type, dims: commonDims(context) }],
    evaluate: (context) => [where(context)],
  }),
];

function where(context: NodeContext): Tensor {
  const tensors = [0, 1, 2].map((index) => requireConstant(context, index));
  const [condition, yes, no] = broadcastTensors('Where', tensors) as [Tensor, Tensor, Tensor];
  const data = allocateData(yes.type, yes.size) as (number | bigint | string)[];
  const [chosen, other] = [yes.data, no.data] as ArrayLike<number | bigint | string>[];
  readIntegers(condition).forEach((value, index) => {
    data[index] = (value === 0n ? other?.[index] : chosen?.[index]) ?? 0;
  });
  return new Tensor(yes.type, data as never, yes.dims);
}
