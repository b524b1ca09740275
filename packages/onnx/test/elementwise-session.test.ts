/**
 * Element-wise and moving operators in a session: alone, where tensors are dense, and behind a convolution, where
 * they lie channels last, must give what the host gives for the same node. Integers, so the results are equal.
 */
import { expectEqual, integerFill, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';
import { evaluateNode } from './evaluate-node.ts';
import { buildModel, type NodeDescription } from './model-builder.ts';

interface Row {
  readonly node: Pick<NodeDescription, 'op' | 'attributes'>;
  /** Constant inputs behind (or, with `first`, before) the data. */
  readonly constants?: readonly (Tensor | undefined)[];
  readonly first?: boolean;
  readonly opset?: number;
}

const DIMS = [2, 6, 5, 7];
const channels = new Tensor('float32', integerFill(6, 11), [6, 1, 1]);
const picture = new Tensor('float32', integerFill(35, 12), [5, 7]);
const whole = new Tensor('float32', integerFill(420, 13), DIMS);
const scalar = new Tensor('float32', [3], []);
const int64 = (...values: number[]): Tensor => new Tensor('int64', values.map(BigInt));

const ROWS: Readonly<Record<string, Row>> = {
  relu: { node: { op: 'Relu' } },
  'clip with one bound': { node: { op: 'Clip' }, constants: [undefined, scalar] },
  'sign moves nothing into padding lanes': { node: { op: 'Sign' } },
  'add per channel': { node: { op: 'Add' }, constants: [channels] },
  'subtract from a constant picture': { node: { op: 'Sub' }, constants: [picture], first: true },
  'maximum with a whole tensor': { node: { op: 'Max' }, constants: [whole] },
  'scalar that moves zero': { node: { op: 'Sub' }, constants: [scalar], first: true },
  'sum of four': { node: { op: 'Sum' }, constants: [whole, whole, whole] },
  'sum of four ranks': { node: { op: 'Sum' }, constants: [scalar, channels, whole] },
  square: { node: { op: 'Pow' }, constants: [new Tensor('int64', [2n], [])] },
  prelu: { node: { op: 'PRelu' }, constants: [channels] },
  'concat of channels': { node: { op: 'Concat', attributes: { axis: 1 } }, constants: [whole] },
  'concat of widths': { node: { op: 'Concat', attributes: { axis: -1 } }, constants: [whole] },
  'slice of channels': { node: { op: 'Slice' }, constants: [int64(1), int64(5), int64(1), int64(2)] },
  'transpose to channels last': { node: { op: 'Transpose', attributes: { perm: [0, 2, 3, 1] } } },
  'pad by reflection': {
    node: { op: 'Pad', attributes: { mode: 'reflect' } },
    constants: [int64(0, 0, 2, 1, 0, 0, 1, 3)],
  },
  'pad with a value': { node: { op: 'Pad' }, constants: [int64(0, 1, 2, -1, 0, 0, 1, 3), scalar] },
  expand: { node: { op: 'Expand' }, constants: [int64(3, 2, 6, 5, 7)] },
  gather: { node: { op: 'Gather', attributes: { axis: 1 } }, constants: [int64(5, 0, -2)] },
  tile: { node: { op: 'Tile' }, constants: [int64(1, 2, 1, 2)] },
};

/** Convolution by one whose result equals its input. */
const IDENTITY = new Tensor(
  'float32',
  Array.from({ length: 36 }, (_, index) => (index % 7 === 0 ? 1 : 0)),
  [6, 6, 1, 1],
);

function modelOf(row: Row, behindConvolution: boolean): Uint8Array {
  const data = behindConvolution ? 'c' : 'x';
  const constants = row.constants ?? [];
  const names = constants.map((value, index) => (value === undefined ? '' : `k${index}`));
  const inputs = row.first ? [...names, data] : [data, ...names];
  const initializers = constants.flatMap((value, index) =>
    value === undefined ? [] : [[`k${index}`, value]],
  );
  return buildModel({
    opset: row.opset ?? 17,
    inputs: { x: { dims: DIMS } },
    outputs: ['y'],
    nodes: [
      ...(behindConvolution ? [{ op: 'Conv', inputs: ['x', 'identity'], outputs: ['c'] }] : []),
      { ...row.node, inputs, outputs: ['y'] },
    ],
    initializers: {
      ...Object.fromEntries(initializers),
      ...(behindConvolution ? { identity: IDENTITY } : {}),
    },
  });
}

describe.each(Object.entries(ROWS))('%s', (_, row) => {
  it.each([
    ['alone', false],
    ['behind a convolution', true],
  ])('%s', async (_place, behindConvolution) => {
    const src = new Tensor('float32', integerFill(420, 7), DIMS);
    const constants = row.constants ?? [];
    const expected = evaluateNode(row.node, row.first ? [...constants, src] : [src, ...constants], row.opset);
    const device = await testDevice();
    const session = await InferenceSession.create(modelOf(row, behindConvolution), { device });
    const { y } = await session.run({ x: src });
    await session.release();
    expect(y?.dims).toEqual(expected.dims);
    expectEqual(y?.data as Float32Array, expected.data as Float32Array, expected.dims);
  });
});

it('split gives every part', async () => {
  const model = buildModel({
    inputs: { x: { dims: DIMS } },
    outputs: ['a', 'b'],
    nodes: [{ op: 'Split', inputs: ['x', 'sizes'], outputs: ['a', 'b'], attributes: { axis: 1 } }],
    initializers: { sizes: int64(2, 4) },
  });
  const session = await InferenceSession.create(model, { device: await testDevice() });
  const src = new Tensor('float32', integerFill(420, 7), DIMS);
  const { a, b } = await session.run({ x: src });
  await session.release();
  const part = (start: number, end: number): Tensor =>
    evaluateNode({ op: 'Slice' }, [src, int64(start), int64(end), int64(1)]);
  expect(a?.data).toEqual(part(0, 2).data);
  expect(b?.data).toEqual(part(2, 6).data);
});
