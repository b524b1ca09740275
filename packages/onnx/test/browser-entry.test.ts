/**
 * What the entry for browsers has, and how it refuses the rest: networks run as they do with everything in place, every
 * other refusal names `@onegpu/onnx/full`. `one-module.test.ts` runs the entry itself, in a browser.
 */
import { InvalidInputError, UnsupportedOperatorError } from '@onegpu/core';
import {
  modelBytes,
  modelNames,
  ocrClassifierPath,
  ocrModelNames,
  ortCpu,
  seededInput,
  withInputDims,
} from '@onegpu/test-models';
import { expectWithin, testDevice, WHOLE_MODEL_TOLERANCE } from '@onegpu/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERYTHING } from '../src/everything.ts';
import { absentOperator, extend } from '../src/extension.ts';
import { InferenceSession, Tensor, tuneModel } from '../src/index.ts';
import { findOperator, isInBrowserEntry } from '../src/ops/registry.ts';
import { prepareModel } from '../src/prepare-model.ts';
import { buildModel, type ModelDescription } from './model-builder.ts';

beforeAll(() => extend(undefined));
afterAll(() => extend(EVERYTHING));

async function openSession(model: Uint8Array | string): Promise<InferenceSession> {
  return InferenceSession.create(model, { device: await testDevice() });
}

describe('networks of floats on pictures', () => {
  it.each([...modelNames, ...ocrModelNames])('%s is taken', async (name) => {
    const { graph } = await prepareModel(await modelBytes(name));
    expect(graph.nodes.length).toBeGreaterThan(10);
  });

  it.each([
    ['resnet18', [1, 3, 64, 64], WHOLE_MODEL_TOLERANCE.generatedWeights],
    ['mobilenet_v3_small', [1, 3, 64, 64], WHOLE_MODEL_TOLERANCE.generatedWeights],
    ['dbnet_r18', [1, 3, 96, 96], WHOLE_MODEL_TOLERANCE.generatedWeights],
    ['ocr-cls', [2, 3, 48, 192], WHOLE_MODEL_TOLERANCE.realWeights],
  ] as const)('%s equals onnxruntime', async (name, dims, tolerance) => {
    const model = name === 'ocr-cls' ? ocrClassifierPath() : withInputDims(await modelBytes(name), dims);
    await using session = await openSession(model);
    const [input = ''] = session.inputNames;
    const feeds = { [input]: new Tensor('float32', seededInput(dims, 11), dims) };
    const actual = await session.run(feeds);
    for (const [output, { dims: shape, data }] of Object.entries(await ortCpu(model, feeds))) {
      const values = actual[output]?.data as Float32Array;
      expectWithin(values, data as Float32Array, tolerance, shape);
    }
    const { entry, fusions } = await session.explain({ [input]: dims });
    expect(entry).toBe('browser');
    expect(fusions.length).toBeGreaterThan(0);
  });
});

it('a session created before everything was in place says so, and knows it for new shapes', async () => {
  const bytes = await modelBytes('mobilenet_v3_small');
  const device = await testDevice();
  const before = device.memory;
  await using session = await InferenceSession.create(bytes, { device });
  const [input = ''] = session.inputNames;
  const run = (n: number) =>
    session.run({ [input]: new Tensor('float32', seededInput([n, 3, 224, 224], 5), [n, 3, 224, 224]) });
  const alone = await run(1);
  extend(EVERYTHING);
  try {
    await run(2);
    expect(await run(1)).toEqual(alone);
    expect((await session.explain({ [input]: [1, 3, 224, 224] })).entry).toBe('browser');
    await using later = await InferenceSession.create(bytes, { device, fusions: 'all' });
    expect((await later.explain({ [input]: [1, 3, 224, 224] })).entry).toBe('full');
  } finally {
    extend(undefined);
  }
  await session.release();
  expect(device.memory).toEqual(before);
});

const image = { x: { dims: [1, 4, 6, 6] } };
const volume = { x: { dims: [1, 4, 3, 6, 6] } };
const ones = (dims: readonly number[]): Tensor =>
  new Tensor('float32', new Float32Array(dims.reduce((a, b) => a * b, 1)).fill(1), dims);
const bytes = { x: { type: 'uint8', dims: [1, 4, 6, 6] } } as const;
const scale = {
  scale: new Tensor('float32', [0.5], []),
  zero: new Tensor('uint8', [3], []),
};

/** Models that the entry leaves to the full one, by what they need it for. */
const REFUSED: Readonly<Record<string, ModelDescription>> = {
  'an operator that it lacks': {
    ...{ inputs: image, outputs: ['y'] },
    nodes: [{ op: 'LRN', inputs: ['x'], outputs: ['y'], attributes: { size: 3 } }],
  },
  'bytes to dequantize': {
    ...{ inputs: bytes, outputs: ['y'], initializers: scale },
    nodes: [{ op: 'DequantizeLinear', inputs: ['x', 'scale', 'zero'], outputs: ['y'] }],
  },
  'arithmetic on integers': {
    ...{ inputs: { x: { type: 'int32', dims: [8] } }, outputs: ['y'] },
    nodes: [{ op: 'Add', inputs: ['x', 'x'], outputs: ['y'] }],
  },
  'arithmetic on a list of integers': {
    ...{ inputs: { x: { type: 'int32', dims: ['n'] } }, outputs: ['y'] },
    nodes: [{ op: 'Add', inputs: ['x', 'x'], outputs: ['y'] }],
  },
  'a cast from bytes': {
    ...{ inputs: bytes, outputs: ['y'] },
    nodes: [{ op: 'Cast', inputs: ['x'], outputs: ['y'], attributes: { to: 1 } }],
  },
  'a choice by comparing floats': {
    ...{ inputs: image, outputs: ['y'], initializers: { zero: new Tensor('float32', [0], []) } },
    nodes: [
      { op: 'Greater', inputs: ['x', 'zero'], outputs: ['positive'] },
      { op: 'Where', inputs: ['positive', 'x', 'zero'], outputs: ['y'] },
    ],
  },
  'a choice by a constant': {
    ...{ inputs: image, outputs: ['y'] },
    initializers: {
      mask: new Tensor('bool', [1, 0, 1, 0, 1, 0], [6]),
      zero: new Tensor('float32', [0], []),
    },
    nodes: [{ op: 'Where', inputs: ['mask', 'x', 'zero'], outputs: ['y'] }],
  },
  'a convolution of volumes': {
    ...{ inputs: volume, outputs: ['y'], initializers: { w: ones([2, 4, 3, 3, 3]) } },
    nodes: [{ op: 'Conv', inputs: ['x', 'w'], outputs: ['y'] }],
  },
  'a transposed convolution of volumes': {
    ...{ inputs: volume, outputs: ['y'], initializers: { w: ones([4, 2, 2, 2, 2]) } },
    nodes: [{ op: 'ConvTranspose', inputs: ['x', 'w'], outputs: ['y'] }],
  },
};

describe('what it leaves to the full entry', () => {
  it.each(Object.entries(REFUSED))('%s is refused with the import that helps', async (_, description) => {
    const refused = openSession(buildModel(description));
    await expect(refused).rejects.toThrow(UnsupportedOperatorError);
    await expect(refused).rejects.toThrow(
      /the entry for browsers leaves this to "@onegpu\/onnx\/full".*\n?.*Import "@onegpu\/onnx\/full" before/,
    );
  });

  it.each(Object.entries(REFUSED))('%s runs once everything is in place', async (_, description) => {
    extend(EVERYTHING);
    try {
      await using session = await openSession(buildModel(description));
      const feeds = session.inputs.map(({ name, type, dims = [] }) => {
        const size = dims.reduce<number>((product, extent) => product * (Number(extent) || 2), 1);
        return [
          name,
          new Tensor(
            type as 'float32',
            new Array(size).fill(2),
            dims.map((extent) => Number(extent) || 2),
          ),
        ] as const;
      });
      const { y } = await session.run(Object.fromEntries(feeds));
      expect(y?.size).toBeGreaterThan(0);
    } finally {
      extend(undefined);
    }
  });

  it('integers made of extents are refused by a run that has too many of them for the host', async () => {
    const model = buildModel({
      ...{ inputs: { x: { dims: [1, 1, 'h', 'w'] } }, outputs: ['y'] },
      initializers: { one: new Tensor('int64', [1n], [1]) },
      nodes: [
        { op: 'Shape', inputs: ['x'], outputs: ['shape'] },
        { op: 'Expand', inputs: ['one', 'shape'], outputs: ['ones'] },
        { op: 'Add', inputs: ['ones', 'one'], outputs: ['twos'] },
        { op: 'Cast', inputs: ['twos'], outputs: ['floats'], attributes: { to: 1 } },
        { op: 'Mul', inputs: ['x', 'floats'], outputs: ['y'] },
      ],
    });
    await using session = await openSession(model);
    const { y } = await session.run({ x: ones([1, 1, 2, 3]) });
    expect(y?.data).toEqual(new Float32Array(6).fill(2));
    const run = session.run({ x: ones([1, 1, 64, 64]) });
    await expect(run).rejects.toThrow(/Add .*leaves this to "@onegpu\/onnx\/full"/);
  });

  it.each([
    ['by the model', [1, 4, 3, 6, 6], 'when it is loaded'],
    ['by a run', ['n', 4, 'd', 'h', 'w'], 'by that run'],
  ])('a resize of a volume whose extents are known %s is refused %s', async (_, dims, when) => {
    const model = buildModel({
      ...{ inputs: { x: { dims } }, outputs: ['y'] },
      initializers: { sizes: new Tensor('int64', [1n, 4n, 5n, 7n, 8n], [5]) },
      nodes: [
        { op: 'Resize', inputs: ['x', '', '', 'sizes'], outputs: ['y'], attributes: { mode: 'linear' } },
      ],
    });
    const message = /Resize "[^"]*": .*leaves this to "@onegpu\/onnx\/full"/;
    if (when === 'when it is loaded') return expect(openSession(model)).rejects.toThrow(message);
    await using session = await openSession(model);
    await session.run({ x: ones([1, 4, 5, 7, 8]) });
    const run = session.run({ x: ones([1, 4, 3, 6, 6]) });
    await expect(run).rejects.toThrow(UnsupportedOperatorError);
    await expect(run).rejects.toThrow(message);
  });

  it.each(['Conv', 'ConvTranspose'])('%s of integers is refused without it, of volumes too', async (op) => {
    const dims = [1, 4, 3, 6, 6];
    const model = buildModel({
      ...{ inputs: { x: { type: 'int32', dims } }, outputs: ['y'] },
      initializers: { w: ones([4, 4, 1, 1, 1]) },
      nodes: [{ op, inputs: ['x', 'w'], outputs: ['y'] }],
    });
    await expect(openSession(model)).rejects.toThrow(UnsupportedOperatorError);
    await expect(openSession(model)).rejects.not.toThrow(/full/);
  });

  it('what nobody has is refused without it, also beside what it has', async () => {
    const einsum = { op: 'Einsum', inputs: ['x'], outputs: ['y'] };
    const lrn = { op: 'LRN', inputs: ['x'], outputs: ['z'], attributes: { size: 3 } };
    for (const nodes of [[einsum], [lrn, einsum]]) {
      const refused = openSession(buildModel({ inputs: image, outputs: ['y'], nodes }));
      await expect(refused).rejects.toThrow(/this operator is not implemented/);
      await expect(refused).rejects.not.toThrow(/Import/);
    }
  });

  it('names every operator that only the full entry has', () => {
    const added = [...EVERYTHING.operators.values()].filter(
      (definition) => definition.domain === '' && !isInBrowserEntry(definition),
    );
    for (const { opType } of added) {
      expect(findOperator('', opType)).toBeUndefined();
      expect(absentOperator(opType), opType).toBeDefined();
    }
    expect(added.length).toBe(10);
  });

  it('tuning, profiles and all fusions are refused by name', async () => {
    const device = await testDevice();
    const model = buildModel({
      ...{ inputs: image, outputs: ['y'] },
      nodes: [{ op: 'Relu', inputs: ['x'], outputs: ['y'] }],
    });
    const refusal = (field: string) =>
      new RegExp(`${field}: the entry for browsers leaves this .*Import "@onegpu/onnx/full"`);
    const created = (options: object) => InferenceSession.create(model, { device, ...options });
    await expect(created({ tune: true })).rejects.toThrow(refusal('SessionOptions.tune'));
    await expect(created({ tune: 'kept' })).rejects.toThrow(InvalidInputError);
    await expect(created({ fusions: 'all' })).rejects.toThrow(refusal('SessionOptions.fusions'));
    await expect(tuneModel(model, { device })).rejects.toThrow(refusal('tuneModel'));
    await using session = await created({ tune: true, mode: 'deterministic' });
    await expect(session.profile({ x: ones([1, 4, 6, 6]) })).rejects.toThrow(
      refusal('InferenceSession.profile'),
    );
  });
});
