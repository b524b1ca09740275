/**
 * Integer arithmetic, comparisons, logic, choices and casts on run data: one model a type with a node for each, bit for
 * bit against the host, which computes in bigints, and against onnxruntime's CPU for the types it has. The ends of every
 * range and divisors of zero are among the data.
 */
import { halfToNumber, numberToHalf } from '@onegpu/core';
import { ACTIVATION_ULP, sumTolerance } from '@onegpu/kernels';
import { ortCpu } from '@onegpu/test-models';
import { expectWithin, seededRandom, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor, type TensorType } from '../src/index.ts';
import { dataTypeOf } from '../src/proto/element-type.ts';
import { evaluateNode } from './evaluate-node.ts';
import { buildModel, type NodeDescription } from './model-builder.ts';

const INTEGERS = ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64'] as const;
const FLOATS = ['float32', 'float16'] as const;
const TYPES = [...INTEGERS, ...FLOATS, 'bool'] as const;
type IntegerType = (typeof INTEGERS)[number];

const DIMS = [7, 11];
const COUNT = 77;

function range(type: IntegerType): readonly [bigint, bigint] {
  const bits = BigInt(type.replace(/\D/g, ''));
  return type.startsWith('u') ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
}

function integers(type: IntegerType, dims: readonly number[], seed: number): Tensor {
  const [low, high] = range(type);
  const ends = [low, high, 0n, 1n, low + 1n, high - 1n, high / 2n + 1n, low < 0n ? -1n : 2n];
  const random = seededRandom(seed);
  const count = dims.reduce((product, extent) => product * extent, 1);
  const values = Array.from({ length: count }, (_, index) => {
    const word = (BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32));
    if (index % 3 === 0) return ends[(index / 3) % ends.length] ?? 0n;
    return low + ((word >> BigInt(index % 60)) % (high - low + 1n));
  });
  return new Tensor(type, type.endsWith('64') ? values : values.map(Number), dims);
}

function floats(type: (typeof FLOATS)[number], seed: number): Tensor {
  const awkward = [Number.NaN, Infinity, -Infinity, 0, -0, 1, -1, 0.5, -2.75, 127.9, -129, 300, 65504, 1e-7];
  const large =
    type === 'float16' ? [] : [2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 63, -(2 ** 63), 2 ** 64, 1e30, 1e-41];
  const all = [...awkward, ...large];
  const random = seededRandom(seed);
  const values = Array.from({ length: COUNT }, (_, index) =>
    index % 2 === 0 ? (all[(index / 2 + seed) % all.length] ?? 0) : (random() - 0.5) * 2 ** (index % 15),
  );
  return new Tensor(type, type === 'float16' ? values.map(numberToHalf) : values, DIMS);
}

interface Feeds {
  readonly x: Tensor;
  readonly y: Tensor;
  readonly low: Tensor;
  readonly high: Tensor;
  readonly choice: Tensor;
}

function feedsOf(type: (typeof TYPES)[number]): Feeds {
  const choice = new Tensor(
    'bool',
    Array.from({ length: COUNT }, (_, index) => ((index * 5) % 3) & 1),
    DIMS,
  );
  if (type === 'bool') {
    const other = new Tensor(
      'bool',
      Array.from({ length: 11 }, (_, index) => index & 1),
      [11],
    );
    return { x: choice, y: other, low: other, high: other, choice };
  }
  if (type === 'float32' || type === 'float16') {
    const [x, y] = [floats(type, 1), floats(type, 8)];
    return { x, y, low: y, high: y, choice };
  }
  const bound = (value: bigint): Tensor =>
    new Tensor(type, type.endsWith('64') ? [value] : [Number(value)], []);
  const [low, high] = range(type);
  const x = integers(type, DIMS, 1);
  const y = integers(type, [11], 2);
  return { x, y, low: bound(low / 4n + 3n), high: bound(high / 2n), choice };
}

type Row = Pick<NodeDescription, 'op' | 'attributes'> & { readonly inputs: readonly (keyof Feeds)[] };

const pair = (op: string, attributes: Row['attributes'] = {}): Row => ({
  op,
  inputs: ['x', 'y'],
  attributes,
});
const single = (op: string, attributes: Row['attributes'] = {}): Row => ({ op, inputs: ['x'], attributes });
const COMPARISONS = ['Equal', 'Less', 'LessOrEqual', 'Greater', 'GreaterOrEqual'].map((op) => pair(op));
const WHERE: Row = { op: 'Where', inputs: ['choice', 'x', 'y'] };
const castsOf = (type: TensorType): readonly Row[] =>
  TYPES.filter((to) => to !== type).map((to) => single('Cast', { to: dataTypeOf(to) }));

function rowsOf(type: (typeof TYPES)[number]): readonly Row[] {
  const all = [...castsOf(type), WHERE];
  if (type === 'bool')
    return [...all, pair('Equal'), ...['And', 'Or', 'Xor'].map((op) => pair(op)), single('Not')];
  if (type === 'float32' || type === 'float16') {
    const infinities = [
      {},
      { detect_negative: 0 },
      { detect_positive: 0 },
      { detect_negative: 0, detect_positive: 0 },
    ];
    return [
      ...all,
      ...COMPARISONS,
      single('IsNaN'),
      ...infinities.map((attributes) => single('IsInf', attributes)),
    ];
  }
  const signed = type.startsWith('u') ? [] : ['Neg', 'Relu'].map((op) => single(op));
  return [
    ...all,
    ...COMPARISONS,
    ...signed,
    ...['Abs', 'Sign', 'BitwiseNot'].map((op) => single(op)),
    ...[
      'Add',
      'Sub',
      'Mul',
      'Div',
      'Mod',
      'Min',
      'Max',
      'BitwiseAnd',
      'BitwiseOr',
      'BitwiseXor',
      'PRelu',
    ].map((op) => pair(op)),
    pair('Mod', { fmod: 1 }),
    { op: 'Max', inputs: ['x', 'low', 'y', 'high'] },
    { op: 'Clip', inputs: ['x', 'low', 'high'] },
    { op: 'Clip', inputs: ['x', 'low'] },
  ];
}

function modelOf(rows: readonly Row[], feeds: Feeds, types: readonly TensorType[] = []): Uint8Array {
  const names = rows.map((_, index) => `out${index}`);
  const read = new Set(rows.flatMap((row) => row.inputs));
  const inputs = [...read].map((name) => [name, { type: feeds[name].type, dims: feeds[name].dims }] as const);
  return buildModel({
    opset: 18,
    inputs: Object.fromEntries(inputs),
    outputs: Object.fromEntries(names.map((name, index) => [name, { type: types[index] ?? 'float32' }])),
    nodes: rows.map((row, index) => ({ ...row, outputs: [`out${index}`] })),
  });
}

async function runOnGpu(rows: readonly Row[], feeds: Feeds): Promise<readonly (Tensor | undefined)[]> {
  const session = await InferenceSession.create(modelOf(rows, feeds), { device: await testDevice() });
  const wanted = session.inputNames.map((name) => [name, feeds[name as keyof Feeds]] as const);
  const results = await session.run(Object.fromEntries(wanted));
  await session.release();
  return rows.map((_, index) => results[`out${index}`]);
}

const textOf = ({ op, inputs, attributes = {} }: Row): string =>
  `${op}(${inputs.join(', ')}) ${JSON.stringify(attributes)}`;
/** Any NaN of float16 for another: a GPU's own conversion chooses its bits. */
const bits = (
  tensor: { readonly type: string; readonly data: ArrayLike<unknown> } | undefined,
): readonly unknown[] =>
  Array.from(tensor?.data ?? [], (value) => {
    if (tensor?.type === 'float16' && Number.isNaN(halfToNumber(Number(value)))) return Number.NaN;
    return Object.is(value, -0) ? '-0' : value;
  });

describe('equals the host', () => {
  it.each(TYPES)('%s', async (type) => {
    const feeds = feedsOf(type);
    const rows = rowsOf(type);
    const results = await runOnGpu(rows, feeds);
    rows.forEach((row, index) => {
      const expected = evaluateNode(
        row,
        row.inputs.map((name) => feeds[name]),
        18,
      );
      const actual = results[index];
      expect([textOf(row), actual?.type, actual?.dims]).toEqual([textOf(row), expected.type, expected.dims]);
      const [ours, theirs] = [bits(actual), bits(expected)];
      const wrong = theirs.flatMap((value, at) => (Object.is(ours[at], value) ? [] : [at])).slice(0, 4);
      const shown = wrong.map((at) => ({ at, x: feeds.x.data[at], got: ours[at], expected: theirs[at] }));
      expect([textOf(row), shown]).toEqual([textOf(row), []]);
    });
  });
});

describe('equals onnxruntime', () => {
  it.each(['int32', 'int64'] as const)('%s', async (type) => {
    const feeds = feedsOf(type);
    const one = (value: number): number | bigint => (type === 'int64' ? BigInt(value) : value);
    // The lowest number divided by -1, and divisors of zero, end a process.
    const divisors = [3, 5, -7, 11, 1, 2, 100, -9, 13, 17, 4].map(one);
    const y = new Tensor(type, divisors as number[], [11]);
    const rows = [
      ...COMPARISONS,
      WHERE,
      ...['Add', 'Sub', 'Mul', 'Div', 'Mod', 'Min', 'Max'].map((op) => pair(op)),
      // onnxruntime takes the remainder of 64-bit integers in float64.
      ...(type === 'int32' ? [pair('Mod', { fmod: 1 })] : []),
      ...['Neg', 'Abs', 'Sign'].map((op) => single(op)),
      ...(['int8', 'uint8', 'int64', 'int32', 'uint32', 'uint64', 'float32', 'bool'] as const)
        .filter((to) => to !== type)
        .map((to) => single('Cast', { to: dataTypeOf(to) })),
    ];
    const results = await runOnGpu(rows, { ...feeds, y });
    const types = results.map((result) => result?.type ?? 'float32');
    const { x, choice } = feeds;
    const expected = await ortCpu(modelOf(rows, { ...feeds, y }, types), { x, y, choice });
    rows.forEach((row, index) => {
      expect([textOf(row), ...bits(results[index])]).toEqual([textOf(row), ...bits(expected[`out${index}`])]);
    });
  });
});

it('indices computed on the GPU gather what they say', async () => {
  const model = buildModel({
    inputs: { x: { dims: [5, 3] }, at: { type: 'int64', dims: [2, 4] } },
    outputs: ['y'],
    nodes: [
      { op: 'Mul', inputs: ['at', 'two'], outputs: ['twice'] },
      { op: 'Gather', inputs: ['x', 'twice'], outputs: ['y'] },
    ],
    initializers: { two: new Tensor('int64', [2n], []) },
  });
  const x = new Tensor(
    'float32',
    Array.from({ length: 15 }, (_, index) => index),
    [5, 3],
  );
  const at = new Tensor('int64', [0n, 1n, 2n, -1n, -2n, 2n, 1n, 0n], [2, 4]);
  const session = await InferenceSession.create(model, { device: await testDevice() });
  const { y } = await session.run({ x, at });
  await session.release();
  expect(y?.dims).toEqual([2, 4, 3]);
  const rows = [0, 2, 4, 3, 1, 4, 2, 0];
  expect(bits(y)).toEqual(rows.flatMap((row) => [3 * row, 3 * row + 1, 3 * row + 2]));
});

it.each(['int32', 'int64', 'uint8'] as const)('floats are raised to %s', async (type) => {
  const exponents = [0, 1, 2, 3, 5, 10, 7];
  const y = new Tensor(type, (type === 'int64' ? exponents.map(BigInt) : exponents) as number[], [7]);
  const x = new Tensor('float32', [1, 2, -3, 4, 0.5, -1, 2, 0, -2, 3, -4, 1.5, 8, 1], [2, 7]);
  const node = { op: 'Pow', inputs: ['x', 'y'], outputs: ['z'] };
  const inputs = { x: { dims: x.dims }, y: { type, dims: y.dims } };
  const model = buildModel({ inputs, outputs: ['z'], nodes: [node] });
  const session = await InferenceSession.create(model, { device: await testDevice() });
  const { z } = await session.run({ x, y });
  await session.release();
  const expected = evaluateNode({ op: 'Pow' }, [x, y]);
  expectWithin(
    z?.data as Float32Array,
    expected.data as Float32Array,
    sumTolerance({ terms: 1, activationUlp: ACTIVATION_ULP }),
    z?.dims ?? [],
  );
});
