/** Verified results that are no ordinary numbers, and sums that cancel. */
import { newTestDevice, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { Tensor } from '../src/tensor.ts';
import { verifyModel } from '../src/verify/verify-model.ts';
import { floats, modelOf, type OperatorRow } from './operator-rows/operator-row.ts';

describe('results that are no ordinary numbers', () => {
  it('are compared as what they are, and counted', async () => {
    const { model } = modelOf({ op: 'Exp', feeds: [floats([5])] });
    const x = new Tensor('float32', [1, 100, Number.NEGATIVE_INFINITY, 2, -200]);
    const { report } = await verifyModel(model, { in0: x }, { device: await testDevice() });
    expect(report.nodes[0]).toMatchObject({ passed: true, outputs: [{ nan: 0, infinite: 1 }] });
  });
});

describe('sums that cancel', () => {
  const a1 = floats([1, 257], 5);
  const weights = floats([257], 6);
  const row: OperatorRow = {
    op: 'Gemm',
    feeds: [a1],
    constants: [new Tensor('float32', weights.data as Float32Array, [257, 1]), undefined],
  };
  /** C takes away what A B gives, up to its rounding. */
  const cancelled = (): OperatorRow => {
    const [a, b] = [a1.data as Float32Array, weights.data as Float32Array];
    let sum = 0;
    for (let k = 0; k < 257; k++) sum += (a[k] ?? 0) * (b[k] ?? 0);
    return { ...row, constants: [row.constants?.[0], new Tensor('float32', [-sum], [1])] };
  };

  it('are held to the error of their partial sums', async () => {
    const { model, feeds } = modelOf(cancelled());
    const { report } = await verifyModel(model, feeds, { device: await testDevice() });
    const output = report.nodes[0]?.outputs[0];
    expect(report.passed).toBe(true);
    expect(output?.scale).toBeGreaterThan(1);
  });

  it('and a fault is still found in them', async () => {
    const device = await newTestDevice();
    const sound = device.raw.createShaderModule.bind(device.raw);
    device.raw.createShaderModule = (descriptor) =>
      sound({
        ...descriptor,
        code: descriptor.code.replace(/dst\[([^\]]+)\] = ([^;]+);/g, 'dst[$1] = $2 + 0.001;'),
      });
    try {
      const { model, feeds } = modelOf(cancelled());
      const { report } = await verifyModel(model, feeds, { device });
      expect(report.firstPast).toBe('Gemm');
    } finally {
      await device.disposeAsync();
    }
  });
});
