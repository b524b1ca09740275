/**
 * Deterministic mode: the bits of every algorithm of every operator are the same in two runs, at another place in
 * memory, on a second device of the adapter, and with as little scratch as it works with. Hashes of whole outputs.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { type DispatchPlan, defaultCapabilities, type GpuDevice } from '@onegpu/core';
import { newTestDevice, runPlan, testDevice } from '@onegpu/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { CONVOLUTION_ALGORITHMS, CONVOLUTION_SAMPLES } from './convolution-samples.ts';
import { ELEMENT_ALGORITHMS, ELEMENT_SAMPLES } from './element-samples.ts';
import { INTEGER_ALGORITHMS, INTEGER_SAMPLES } from './integer-samples.ts';
import type { DeterminismSample } from './sample.ts';
import { MATRIX_SAMPLES, SUM_ALGORITHMS, SUM_SAMPLES } from './sum-samples.ts';

const SAMPLES: readonly DeterminismSample[] = [
  ...CONVOLUTION_SAMPLES,
  ...MATRIX_SAMPLES,
  ...SUM_SAMPLES,
  ...ELEMENT_SAMPLES,
  ...INTEGER_SAMPLES,
];

const LISTED = [CONVOLUTION_ALGORITHMS, SUM_ALGORITHMS, ELEMENT_ALGORITHMS, INTEGER_ALGORITHMS].flat();

let second: Promise<GpuDevice> | undefined;
const secondDevice = (): Promise<GpuDevice> => {
  second ??= newTestDevice();
  return second;
};

afterAll(async () => {
  await (await second)?.[Symbol.asyncDispose]();
});

interface Place {
  readonly arenaOffset?: number;
  readonly scratchBytes?: number;
}

async function hashOf(
  sample: DeterminismSample,
  device: GpuDevice,
  { arenaOffset = 0, scratchBytes }: Place = {},
): Promise<string> {
  const plan = sample.plan(device.capabilities, scratchBytes);
  const results = await runPlan(device, plan, {
    inputs: sample.inputs,
    outputs: sample.outputs,
    arenaOffset,
  });
  const hash = createHash('sha256');
  for (const { buffer, byteOffset, byteLength } of Object.values(results)) {
    hash.update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return hash.digest('hex');
}

/** The least scratch, and what holds two and a half times that; none where the plan takes no less than it asks for. */
function smallerScratch(plan: DispatchPlan): number[] {
  const total = plan.scratch.reduce((sum, { bytes }) => sum + bytes, 0);
  const least = plan.scratch.reduce((sum, { bytes, least = bytes }) => sum + least, 0);
  return least < total ? [least, Math.floor(2.5 * least)] : [];
}

describe('the same bits', () => {
  it.each(SAMPLES)('$name', async (sample) => {
    const device = await testDevice();
    const first = await hashOf(sample, device);
    expect(await hashOf(sample, device), 'a second run').toBe(first);
    expect(await hashOf(sample, device, { arenaOffset: 768 }), 'another offset').toBe(first);
    expect(await hashOf(sample, await secondDevice()), 'a second device').toBe(first);
    for (const scratchBytes of smallerScratch(sample.plan(device.capabilities))) {
      expect(await hashOf(sample, device, { scratchBytes }), `scratch of ${scratchBytes}`).toBe(first);
    }
  });
});

/** Reads a texture, so it is no plan over buffers: `packages/onnx/test/image-input.test.ts` holds it to the same. */
const ELSEWHERE = ['image-input'];

describe('samples', () => {
  it('cover every operator', () => {
    const folders = readdirSync(new URL('../../src', import.meta.url), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'shared' && entry.name !== 'reference')
      .map((entry) => entry.name);
    const sampled = new Set([...SAMPLES.map(({ family }) => family), ...ELSEWHERE]);
    expect(folders.filter((name) => !sampled.has(name))).toEqual([]);
  });

  it.each(LISTED)('cover every algorithm of %s', (family, algorithms) => {
    const sampled = SAMPLES.filter((sample) => sample.family === family);
    const names = new Set(sampled.map(({ algorithm }) => algorithm));
    expect(algorithms.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([]);
  });

  it('have scratch to make smaller in every operator that works in chunks', () => {
    const target = defaultCapabilities();
    const chunked = SAMPLES.filter((sample) => smallerScratch(sample.plan(target)).length > 0);
    expect(chunked.map(({ name }) => name).sort()).toEqual([
      'conv-transpose/gemm-col2im/nchw',
      'conv-transpose/gemm-col2im/nhwc4',
      'conv/im2col',
      'conv/split-k',
      'conv/split-k/planes',
      'conv/split-k/shortcut',
      'conv/winograd',
      'conv/winograd-2x2',
      'deform-conv/im2col',
      'deform-conv/im2col/volume',
      'volume-conv-transpose/volume-gemm-col2im',
      'volume-conv/volume-im2col',
    ]);
  });
});
