/**
 * Convolutions of every number of axes against onnxruntime's CPU, over the attributes that ONNX's own tests leave out.
 * Small integers (offsets in quarters), so that both sides are exact.
 */
import { ortCpu } from '@onegpu/test-models';
import { expectEqual, integerFill, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';
import { type AttributeDescription, buildModel } from './model-builder.ts';

interface PeerCase {
  readonly op: string;
  readonly attributes: Readonly<Record<string, AttributeDescription>>;
  /** Extents of the inputs, an empty list for one that is absent. */
  readonly dims: readonly (readonly number[])[];
  readonly opset?: number;
}

const tensorOf = (dims: readonly number[], seed: number, scale = 1): Tensor => {
  const length = dims.reduce((product, extent) => product * extent, 1);
  const values = integerFill(length, seed, -4, 4).map((value) => value * scale);
  return new Tensor('float32', values, dims);
};

async function expectPeer({ op, attributes, dims, opset = 22 }: PeerCase): Promise<void> {
  const names = dims.map((extents, index) => (extents.length === 0 ? '' : `in${index}`));
  const offset = op === 'DeformConv' ? 2 : -1;
  const tensors = dims.map((extents, index) => tensorOf(extents, index + 1, index === offset ? 0.25 : 1));
  // Weights and bias are constants; what else there is comes as a feed.
  const fed = (index: number): boolean =>
    index === 0 || (op === 'DeformConv' && (index === 2 || index === 4));
  const present = tensors.flatMap((tensor, index) =>
    names[index] === '' ? [] : [{ name: names[index] ?? '', tensor, feed: fed(index) }],
  );
  const feeds = Object.fromEntries(
    present.filter(({ feed }) => feed).map(({ name, tensor }) => [name, tensor]),
  );
  const model = buildModel({
    opset,
    inputs: Object.fromEntries(Object.entries(feeds).map(([name, tensor]) => [name, { dims: tensor.dims }])),
    outputs: ['y'],
    nodes: [{ op, inputs: names, outputs: ['y'], attributes }],
    initializers: Object.fromEntries(
      present.filter(({ feed }) => !feed).map(({ name, tensor }) => [name, tensor]),
    ),
  });
  const { y: expected } = await ortCpu(model, feeds);
  const session = await InferenceSession.create(model, { device: await testDevice() });
  const { y: actual } = await session.run(feeds);
  await session.release();
  expect(actual?.dims).toEqual(expected?.dims);
  expectEqual(actual?.data as Float32Array, expected?.data as Float32Array, expected?.dims ?? []);
}

const row = (op: string, attributes: PeerCase['attributes'], ...dims: readonly (readonly number[])[]) => ({
  name: `${JSON.stringify(attributes)} over ${JSON.stringify(dims)}`,
  ...{ op, attributes, dims },
});

const CONV: readonly (PeerCase & { readonly name: string })[] = [
  row('Conv', { pads: [2, 0, 1, 1, 3, 4], strides: [2, 1, 3] }, [2, 3, 3, 7, 5], [4, 3, 2, 3, 3], [4]),
  row('Conv', { dilations: [2, 3, 1], pads: [1, 1, 1, 1, 1, 1] }, [1, 2, 5, 7, 3], [3, 2, 2, 3, 3]),
  row('Conv', { auto_pad: 'SAME_UPPER', strides: [2, 3, 2] }, [1, 2, 4, 5, 7], [3, 2, 3, 3, 2]),
  row('Conv', { auto_pad: 'SAME_LOWER', strides: [2, 2, 2] }, [1, 2, 4, 5, 7], [3, 2, 3, 3, 2]),
  row('Conv', { auto_pad: 'VALID', group: 2 }, [1, 4, 4, 5, 7], [6, 2, 3, 3, 2], [6]),
  row('Conv', { group: 5, pads: [1, 1, 1, 1, 1, 1] }, [1, 5, 3, 5, 2], [5, 1, 3, 3, 3], [5]),
  row('Conv', { group: 3, strides: [2], dilations: [3], pads: [4, 1] }, [2, 6, 23], [9, 2, 5], [9]),
  row(
    'Conv',
    { group: 2, strides: [3, 2], dilations: [1, 3], pads: [0, 4, 1, 2] },
    [1, 4, 13, 11],
    [6, 2, 2, 3],
  ),
];

const TRANSPOSED: readonly (PeerCase & { readonly name: string })[] = [
  row(
    'ConvTranspose',
    { strides: [2, 3, 1], pads: [1, 0, 2, 0, 1, 1] },
    [2, 3, 2, 3, 4],
    [3, 2, 3, 2, 4],
    [2],
  ),
  row('ConvTranspose', { dilations: [2, 1, 3], strides: [3, 2, 2] }, [1, 2, 3, 2, 3], [2, 3, 2, 3, 2]),
  row(
    'ConvTranspose',
    { group: 2, output_padding: [1, 0, 1], strides: [2, 2, 2] },
    [1, 4, 2, 3, 2],
    [4, 3, 3, 2, 2],
  ),
  row('ConvTranspose', { auto_pad: 'SAME_UPPER', strides: [2, 2, 2] }, [1, 2, 2, 3, 2], [2, 3, 3, 3, 3]),
  row('ConvTranspose', { auto_pad: 'SAME_LOWER', strides: [2, 3, 2] }, [1, 2, 2, 3, 2], [2, 3, 3, 4, 3]),
  row('ConvTranspose', { output_shape: [6, 5, 4], strides: [2, 3, 2] }, [1, 2, 3, 2, 2], [2, 2, 3, 3, 3]),
  row('ConvTranspose', { group: 3, strides: [3], dilations: [2], pads: [1, 2] }, [2, 6, 7], [6, 2, 4], [6]),
];

const OFFSETS = [2, 18, 5, 7] as const;
const MASK = [2, 9, 5, 7] as const;
const SAME = { pads: [1, 1, 1, 1] } as const;
const DEFORMED: readonly (PeerCase & { readonly name: string })[] = [
  row('DeformConv', SAME, [2, 4, 5, 7], [6, 4, 3, 3], OFFSETS),
  row('DeformConv', SAME, [2, 4, 5, 7], [6, 4, 3, 3], OFFSETS, [6]),
  row('DeformConv', SAME, [2, 4, 5, 7], [6, 4, 3, 3], OFFSETS, [], MASK),
  row('DeformConv', { ...SAME, group: 2 }, [2, 4, 5, 7], [6, 2, 3, 3], OFFSETS, [6], MASK),
  row(
    'DeformConv',
    { ...SAME, group: 3, offset_group: 2 },
    ...([[2, 6, 5, 7], [9, 2, 3, 3], [2, 36, 5, 7], [9], [2, 18, 5, 7]] as const),
  ),
  row(
    'DeformConv',
    { strides: [2, 3], dilations: [1, 2], pads: [0, 1, 2, 2] },
    [1, 3, 13, 11],
    [5, 3, 3, 2],
    [1, 12, 7, 4],
  ),
];

describe('Conv', () => it.each(CONV)('$name', expectPeer));
describe('ConvTranspose', () => it.each(TRANSPOSED)('$name', expectPeer));
describe('DeformConv', () => it.each(DEFORMED)('$name', expectPeer));
