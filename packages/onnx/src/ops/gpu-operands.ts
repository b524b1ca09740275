/** What operators on the GPU ask of their operands, and how their plans are handed to a session. */
import type { MoveElement, Selection } from '@onegpu/kernels/core';
import { NotBuiltError, notBuilt } from '../not-built.ts';
import type { Lowering, NodeContext, OperandSource, ValueInfo } from '../op-definition.ts';
import type { TensorType } from '../tensor.ts';
import { inputTypes, requireInput } from './host-input.ts';

const MOVABLE: readonly TensorType[] = [
  'float32',
  'float16',
  'int64',
  'uint64',
  'int32',
  'uint32',
  'int16',
  'uint16',
  'int8',
  'uint8',
  'bool',
];

/** What a moving kernel takes for an element of a type. */
export function moveElement(type: TensorType): MoveElement {
  return type === 'int64' || type === 'uint64' ? 'vec2u' : 'u32';
}

/** Input `index`, whose elements a moving kernel can move. @throws NotBuiltError for other types. */
export function requireWords(context: NodeContext, index: number): ValueInfo {
  return requireType(context, index, MOVABLE);
}

/** The first of inputs that are moved bit for bit into one output. @throws NotBuiltError where their types differ. */
export function requireOneType(context: NodeContext, indices: readonly number[]): ValueInfo {
  const [first, ...rest] = indices.map((index) => requireWords(context, index)) as [
    ValueInfo,
    ...ValueInfo[],
  ];
  if (rest.every(({ type }) => type === first.type)) return first;
  throw notBuilt(context.node.opType, 'inputs', inputTypes(context), 'one type');
}

/** Input `index`, which must be float32 or float16. @throws NotBuiltError for other types. */
export function requireFloat(context: NodeContext, index: number): ValueInfo {
  return requireType(context, index, ['float32', 'float16']);
}

function requireType(context: NodeContext, index: number, types: readonly TensorType[]): ValueInfo {
  const input = requireInput(context, index);
  if (types.includes(input.type)) return input;
  throw new NotBuiltError('this type is not built for the GPU', {
    subject: context.node.opType,
    field: `inputs[${index}]`,
    got: input.type,
    expected: types.join(' or '),
    remedy: 'Small integer tensors computed from shapes and constants run on the host.',
  });
}

/** A selection and its operands as a lowering. */
export function dispatchOf(
  { plan, refused }: Pick<Selection, 'plan'> & Partial<Pick<Selection, 'refused'>>,
  operands: Readonly<Record<string, OperandSource>>,
): Lowering {
  return { kind: 'dispatch', plan, operands, refused: refused ?? [] };
}
