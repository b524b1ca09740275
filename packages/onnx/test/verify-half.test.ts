/** `onegpu verify` of float16: results are held to float32's bound and one rounding to half, what is picked to its bits. */
import { halfToNumber, numberToHalf } from '@onegpu/core';
import { newTestDevice, randomFill, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { Tensor } from '../src/tensor.ts';
import { verifyModel } from '../src/verify/verify-model.ts';
import { buildModel } from './model-builder.ts';

const halves = (dims: readonly number[], seed: number): Tensor => {
  const length = dims.reduce((a, b) => a * b, 1);
  return new Tensor('float16', Uint16Array.from(randomFill(length, seed, -2, 2), numberToHalf), dims);
};
const sizes = (...values: readonly number[]): Tensor => new Tensor('int64', values.map(BigInt));

/** A sum, functions, picks and moves, one behind the other. */
const CHAIN = buildModel({
  opset: 18,
  inputs: { x: { type: 'float16', dims: [1, 3, 7, 11] } },
  outputs: ['y', 'single'],
  nodes: [
    {
      op: 'Conv',
      name: 'conv',
      inputs: ['x', 'weights', 'bias'],
      outputs: ['a'],
      attributes: { pads: [1, 1, 1, 1] },
    },
    { op: 'Sigmoid', name: 'sigmoid', inputs: ['a'], outputs: ['b'] },
    { op: 'Add', name: 'add', inputs: ['a', 'b'], outputs: ['c'] },
    { op: 'MaxPool', name: 'max', inputs: ['c'], outputs: ['d'], attributes: { kernel_shape: [2, 3] } },
    {
      op: 'Resize',
      name: 'linear',
      inputs: ['d', '', '', 'larger'],
      outputs: ['e'],
      attributes: { mode: 'linear' },
    },
    { op: 'Resize', name: 'nearest', inputs: ['d', '', '', 'larger'], outputs: ['f'] },
    { op: 'Concat', name: 'concat', inputs: ['e', 'f'], outputs: ['y'], attributes: { axis: 1 } },
    { op: 'Cast', name: 'cast', inputs: ['y'], outputs: ['single'], attributes: { to: 1 } },
  ],
  initializers: {
    ...{ weights: halves([4, 3, 3, 3], 2), bias: halves([4], 3) },
    larger: sizes(1, 4, 13, 11),
  },
});
const FEEDS = { x: halves([1, 3, 7, 11], 1) };

describe('float16', () => {
  it('is within the bounds of halves', async () => {
    const { report } = await verifyModel(CHAIN, FEEDS, { device: await testDevice() });
    expect(report.nodes.filter(({ passed }) => !passed)).toEqual([]);
    expect(report.whole.filter(({ passed }) => !passed)).toEqual([]);
    expect(report.passed).toBe(true);
    const checks = Object.fromEntries(report.nodes.map(({ name, outputs }) => [name, outputs[0]?.check]));
    const picked = { max: 'exact', nearest: 'exact', concat: 'exact', cast: 'exact' };
    expect(checks).toEqual({ conv: 'sum', sigmoid: 'sum', add: 'sum', linear: 'sum', ...picked });
    const conv = report.nodes.find(({ name }) => name === 'conv');
    expect(conv?.bound).toBeGreaterThan(2 ** -11);
    expect(conv?.bound).toBeLessThan(2 ** -10);
  });

  it('shows a fault', async () => {
    const device = await newTestDevice();
    const sound = device.raw.createShaderModule.bind(device.raw);
    device.raw.createShaderModule = (descriptor) =>
      sound({
        ...descriptor,
        code: descriptor.code.replace(/(?<!fn )write_dst\(([^,]+), /g, 'write_dst($1, 0.5 + '),
      });
    const model = buildModel({
      opset: 17,
      inputs: { x: { type: 'float16', dims: [5] } },
      outputs: ['y'],
      nodes: [{ op: 'Exp', name: 'exp', inputs: ['x'], outputs: ['y'] }],
    });
    try {
      const x = new Tensor('float16', Uint16Array.from([-1, 0, 1, 20, -30], numberToHalf));
      const { report } = await verifyModel(model, { x }, { device });
      expect(report.firstPast).toBe('exp');
      const output = report.nodes[0]?.outputs[0];
      expect(output).toMatchObject({ passed: false, infinite: 1, nan: 0 });
    } finally {
      await device.disposeAsync();
    }
  });

  it('counts its own infinities and forgives a step of its smallest numbers', async () => {
    const model = buildModel({
      opset: 17,
      inputs: { x: { type: 'float16', dims: [4] } },
      outputs: ['y'],
      nodes: [{ op: 'Exp', name: 'exp', inputs: ['x'], outputs: ['y'] }],
    });
    const device = await testDevice();
    const tiny = new Tensor('float16', Uint16Array.from([-16, -15.5, -14.7, -17], numberToHalf));
    const { report } = await verifyModel(model, { x: tiny }, { device });
    expect(report.passed).toBe(true);
    expect(report.nodes[0]?.outputs[0]?.scale).toBeLessThan(halfToNumber(0x0400));
    const large = new Tensor('float16', Uint16Array.from([12, 10, 0, 11.5], numberToHalf));
    const overflow = await verifyModel(model, { x: large }, { device });
    expect(overflow.report.nodes[0]).toMatchObject({ passed: true, outputs: [{ infinite: 2 }] });
  });
});
