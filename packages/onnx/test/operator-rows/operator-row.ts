/** An operator as a row of a table, what is fed to it, and the model of one node that it makes. */
import { integerFill, randomFill } from '@onegpu/testing';
import { Tensor } from '../../src/tensor.ts';
import { type AttributeDescription, buildModel } from '../model-builder.ts';

export interface OperatorRow {
  readonly op: string;
  /** Fed inputs. */
  readonly feeds: readonly Tensor[];
  /** Constants behind them; undefined for an absent one. */
  readonly constants?: readonly (Tensor | undefined)[];
  readonly attributes?: Readonly<Record<string, AttributeDescription>>;
  readonly outputs?: number;
  readonly opset?: number;
}

const count = (dims: readonly number[]): number => dims.reduce((product, extent) => product * extent, 1);

export const floats = (dims: readonly number[], seed = 1, low = -2, high = 2): Tensor =>
  new Tensor('float32', randomFill(count(dims), seed, low, high), dims);

export const small = (type: 'int32' | 'uint8', dims: readonly number[], seed = 1): Tensor =>
  new Tensor(type, [...integerFill(count(dims), seed, 0, 9)], dims);

export const bools = (dims: readonly number[], seed = 1): Tensor =>
  new Tensor('bool', [...integerFill(count(dims), seed, 0, 1)], dims);

export const integers = (...values: readonly number[]): Tensor => new Tensor('int64', values.map(BigInt));

export const scalar = (value: number): Tensor => new Tensor('float32', [value], []);

export const zeroPoint = (value: number): Tensor => new Tensor('uint8', [value], []);

export const PICTURE = [2, 5, 7, 11];

export const positive = floats(PICTURE, 2, 0.1, 0.9);

export function modelOf(row: OperatorRow): {
  readonly model: Uint8Array;
  readonly feeds: Record<string, Tensor>;
} {
  const fed = row.feeds.map((tensor, index) => [`in${index}`, tensor] as const);
  const constants = (row.constants ?? []).map((tensor, index) => [`constant${index}`, tensor] as const);
  const outputs = Array.from({ length: row.outputs ?? 1 }, (_, index) => `out${index}`);
  const names = [...fed, ...constants].map(([name, tensor]) => (tensor === undefined ? '' : name));
  const attributes = row.attributes === undefined ? {} : { attributes: row.attributes };
  const model = buildModel({
    opset: row.opset ?? 17,
    inputs: Object.fromEntries(fed.map(([name, { type, dims }]) => [name, { type, dims }])),
    outputs,
    nodes: [{ op: row.op, name: row.op, inputs: names, outputs, ...attributes }],
    initializers: Object.fromEntries(
      constants.flatMap(([name, tensor]) => (tensor === undefined ? [] : [[name, tensor] as const])),
    ),
  });
  return { model, feeds: Object.fromEntries(fed) };
}
