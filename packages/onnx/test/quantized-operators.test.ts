/**
 * Quantised operators as models of one node against onnxruntime's CPU, bit for bit. Weights of seven bits where src is
 * unsigned and they are signed: on CPUs without dot product instructions onnxruntime saturates larger pairs.
 */

import { ortCpu } from '@onegpu/test-models';
import { expectExact, integerFill, randomFill, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor, type TensorType } from '../src/index.ts';
import { type AttributeDescription, buildModel } from './model-builder.ts';

interface OneNode {
  readonly op: string;
  readonly opset?: number;
  readonly inputs: readonly (Tensor | undefined)[];
  readonly attributes?: Readonly<Record<string, AttributeDescription>>;
  readonly outputs?: number;
}

function bytes(type: 'int8' | 'uint8', dims: readonly number[], seed: number, bits = 8): Tensor {
  const half = 2 ** (bits - 1);
  const [low, high] = type === 'int8' ? [-half, half - 1] : [0, 2 * half - 1];
  const count = dims.reduce((product, extent) => product * extent, 1);
  return new Tensor(type, [...integerFill(count, seed, low, high)], dims);
}

function scales(dims: readonly number[], seed: number, low = 0.01, high = 0.05): Tensor<'float32'> {
  const count = dims.reduce((product, extent) => product * extent, 1);
  return new Tensor('float32', randomFill(count, seed, low, high), dims);
}

/** The first input is fed, the others are constants; with `fed` all are fed. */
async function compare(node: OneNode, fed: boolean): Promise<void> {
  const { op, inputs, attributes = {}, opset = 21, outputs = 1 } = node;
  const names = inputs.map((tensor, index) => (tensor === undefined ? '' : `x${index}`));
  const present = inputs.flatMap((tensor, index) =>
    tensor === undefined ? [] : [{ name: `x${index}`, tensor }],
  );
  const isFed = (index: number): boolean => fed || index === 0;
  const outputNames = Array.from({ length: outputs }, (_, index) => `y${index}`);
  const modelOf = (types: readonly TensorType[]): Uint8Array =>
    buildModel({
      opset,
      irVersion: 10,
      inputs: Object.fromEntries(
        present
          .filter((_, index) => isFed(index))
          .map(({ name, tensor: { type, dims } }) => [name, { type, dims }]),
      ),
      initializers: Object.fromEntries(
        present.filter((_, index) => !isFed(index)).map(({ name, tensor }) => [name, tensor]),
      ),
      outputs: Object.fromEntries(
        outputNames.map((name, index) => [name, { type: types[index] ?? 'float32' }]),
      ),
      nodes: [{ op, inputs: names, outputs: outputNames, attributes }],
    });
  const feeds = Object.fromEntries(
    present.filter((_, index) => isFed(index)).map(({ name, tensor }) => [name, tensor]),
  );
  const session = await InferenceSession.create(modelOf([]), { device: await testDevice() });
  const actual = await session.run(feeds);
  await session.release();
  const types = outputNames.map((name) => actual[name]?.type ?? 'float32');
  const expected = await ortCpu(modelOf(types), feeds);
  for (const name of outputNames) {
    const [ours, theirs] = [actual[name], expected[name]];
    expect(ours?.type).toBe(theirs?.type);
    expectExact(ours?.data as ArrayLike<number>, theirs?.data as ArrayLike<number>, theirs?.dims ?? []);
  }
}

const scalar = (type: 'int8' | 'uint8', value: number): Tensor => new Tensor(type, [value], []);

const PAIRS = (['uint8', 'int8'] as const).flatMap((src) =>
  (['uint8', 'int8'] as const).map((weights) => [src, weights] as const),
);

describe.each([true, false])('against onnxruntime, every input fed: %s', (fed) => {
  it.each(PAIRS)('QLinearConv, %s with %s', async (src, weights) => {
    // onnxruntime has no convolution of int8 with uint8 weights.
    if (src === 'int8' && weights === 'uint8') return;
    await compare(
      {
        op: 'QLinearConv',
        inputs: [
          bytes(src, [1, 5, 9, 13], 1),
          scales([], 2),
          scalar(src, 7),
          bytes(weights, [6, 5, 3, 3], 3, 7),
          scales([6], 4),
          weights === 'int8' ? new Tensor('int8', [0, 0, 0, 0, 0, 0], [6]) : scalar('uint8', 60),
          scales([], 5, 0.1, 0.3),
          scalar(src, 11),
          new Tensor('int32', [...integerFill(6, 6, -9000, 9000)], [6]),
        ],
        attributes: { pads: [1, 1, 1, 1], strides: [1, 2] },
      },
      fed,
    );
  });

  it('QLinearConv, depthwise', async () => {
    await compare(
      {
        op: 'QLinearConv',
        inputs: [
          bytes('uint8', [2, 7, 5, 9], 1),
          scales([], 2),
          scalar('uint8', 130),
          bytes('int8', [7, 1, 3, 3], 3, 7),
          scales([7], 4),
          new Tensor('int8', new Array(7).fill(0), [7]),
          scales([], 5, 0.02, 0.05),
          scalar('uint8', 100),
        ],
        attributes: { group: 7, pads: [1, 1, 1, 1] },
      },
      fed,
    );
  });

  it.each(PAIRS)('MatMulInteger, %s with %s', async (src, weights) => {
    await compare(
      {
        op: 'MatMulInteger',
        inputs: [
          bytes(src, [2, 5, 16], 1),
          bytes(weights, [16, 12], 2, 7),
          scalar(src, 9),
          scalar(weights, 3),
        ],
      },
      fed,
    );
  });

  it('ConvInteger', async () => {
    await compare(
      {
        op: 'ConvInteger',
        inputs: [
          bytes('uint8', [2, 5, 9, 7], 1),
          bytes('uint8', [6, 5, 3, 2], 2, 7),
          scalar('uint8', 77),
          scalar('uint8', 5),
        ],
        attributes: { dilations: [2, 1], pads: [1, 0, 2, 1] },
      },
      fed,
    );
  });

  it('QLinearMatMul, a scale a column', async () => {
    await compare(
      {
        op: 'QLinearMatMul',
        inputs: [
          bytes('uint8', [7, 16], 1),
          scales([], 2),
          scalar('uint8', 120),
          bytes('int8', [16, 12], 3, 7),
          scales([12], 4),
          new Tensor('int8', new Array(12).fill(0), [12]),
          scales([], 5, 0.05, 0.1),
          scalar('uint8', 99),
        ],
      },
      fed,
    );
  });

  it('QuantizeLinear and DequantizeLinear a channel and a block', async () => {
    const x = new Tensor('float32', randomFill(2 * 6 * 35, 1, -9, 9), [2, 6, 5, 7]);
    for (const type of ['int8', 'uint8'] as const) {
      const zero = bytes(type, [6], 3);
      await compare({ op: 'QuantizeLinear', inputs: [x, scales([6], 2), zero] }, fed);
      await compare(
        { op: 'DequantizeLinear', inputs: [bytes(type, [2, 6, 5, 7], 4), scales([6], 2), zero] },
        fed,
      );
    }
    const blocks = [scales([2, 3, 5, 7], 5), bytes('int8', [2, 3, 5, 7], 6)];
    await compare({ op: 'QuantizeLinear', inputs: [x, ...blocks], attributes: { block_size: 2 } }, fed);
    await compare(
      {
        op: 'DequantizeLinear',
        inputs: [bytes('int8', [2, 6, 5, 7], 7), ...blocks],
        attributes: { block_size: 2 },
      },
      fed,
    );
  });
});

it('DynamicQuantizeLinear', async () => {
  const x = new Tensor('float32', randomFill(611, 1, -2, 5), [611]);
  await compare({ op: 'DynamicQuantizeLinear', inputs: [x], outputs: 3 }, true);
});

it('refuses at load what is not built', async () => {
  const model = buildModel({
    opset: 21,
    irVersion: 10,
    inputs: { x: { type: 'float32', dims: [4] } },
    outputs: ['y'],
    nodes: [{ op: 'QuantizeLinear', inputs: ['x', 's'], outputs: ['y'], attributes: { output_dtype: 22 } }],
    initializers: { s: new Tensor('float32', [1], []) },
  });
  const device = await testDevice();
  await expect(InferenceSession.create(model, { device })).rejects.toThrow(/output_dtype int4 is not built/);
});
