/**
 * A sum that is fused behind a convolution at the probed extents, fed with extents where its sides broadcast: a
 * convolution of stride 2 rounds up, a pool of stride 2 rounds down, so that three pixels give 2 beside 1.
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { ortCpu } from '@onegpu/test-models';
import { expectExact, integerFill, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';
import { buildModel } from './model-builder.ts';

const MODEL = buildModel({
  inputs: { x: { dims: ['N', 3, 'H', 'W'] } },
  outputs: ['y', 'z'],
  nodes: [
    { op: 'Conv', inputs: ['x', 'w'], outputs: ['conv'], attributes: { strides: [2, 2] } },
    {
      op: 'MaxPool',
      inputs: ['x'],
      outputs: ['pool'],
      attributes: { kernel_shape: [2, 2], strides: [2, 2] },
    },
    { op: 'Add', inputs: ['conv', 'pool'], outputs: ['sum'] },
    { op: 'Relu', inputs: ['sum'], outputs: ['y'] },
    { op: 'Flatten', inputs: ['y'], outputs: ['z'] },
  ],
  initializers: { w: new Tensor('float32', integerFill(9, 5, -2, 2), [3, 3, 1, 1]) },
});

function feedsOf(dims: readonly number[]): { x: Tensor } {
  const length = dims.reduce((product, extent) => product * extent, 1);
  return { x: new Tensor('float32', integerFill(length, 7, -4, 4), dims) };
}

describe('a fused residual sum', () => {
  it.each([
    [1, 3, 4, 6],
    [1, 3, 3, 4],
    [2, 3, 2, 3],
    [1, 3, 3, 3],
    [1, 3, 4, 6],
  ])('broadcasts where the extents say so: %s x %s x %s x %s', async (...dims) => {
    const session = await InferenceSession.create(MODEL, { device: await testDevice() });
    const feeds = feedsOf(dims);
    const actual = await session.run(feeds);
    const expected = await ortCpu(MODEL, feeds);
    for (const [name, { dims: shape, data }] of Object.entries(expected)) {
      expect(actual[name]?.dims).toEqual(shape);
      expectExact(actual[name]?.data as Float32Array, data as Float32Array, shape);
    }
    await session.release();
  });

  it('refuses sides that do not broadcast, and the session goes on', async () => {
    const session = await InferenceSession.create(MODEL, { device: await testDevice() });
    await expect(session.run(feedsOf([1, 3, 5, 4]))).rejects.toThrow(GpuKernelShapeError);
    expect((await session.run(feedsOf([1, 3, 3, 4]))).y?.dims).toEqual([1, 3, 2, 2]);
    const fused = await session.explain({ x: [1, 3, 4, 6] });
    expect(fused.steps.some((step) => step.nodes.length === 3)).toBe(true);
    await session.release();
  });
});
