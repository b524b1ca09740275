import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { defaultInputDims, modelBytes, modelNames, modelPath, ocrModelNames } from './models.ts';
import { ortCpu } from './peer.ts';
import { seededInput } from './seeded-input.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('modelBytes', () => {
  it('gives the cached file byte for byte, however many ask at once', async () => {
    const [first, second] = await Promise.all([
      modelBytes('mobilenet_v3_small'),
      modelBytes('mobilenet_v3_small'),
    ]);
    const cached = await readFile(await modelPath('mobilenet_v3_small'));
    expect(sha256(first)).toBe(sha256(second));
    expect(sha256(cached)).toBe(sha256(first));
  });

  it('finds the real weights', async () => {
    for (const name of ocrModelNames) expect((await modelBytes(name)).length).toBeGreaterThan(100_000);
  });
});

describe('the generated weights', () => {
  it('let the input reach the output', async () => {
    const model = await modelPath('mobilenet_v3_small');
    const dims = defaultInputDims('mobilenet_v3_small');
    const outputs: Float32Array[] = [];
    for (const seed of [1, 2]) {
      const feeds = { input: { type: 'float32', dims, data: seededInput(dims, seed) } };
      const { output } = await ortCpu(model, feeds);
      expect(output?.dims).toEqual([1, 1000]);
      outputs.push(output?.data as Float32Array);
    }
    const [one = new Float32Array(), two = new Float32Array()] = outputs;
    const largest = Math.max(...one.map(Math.abs));
    const change = Math.max(...one.map((value, i) => Math.abs(value - (two[i] ?? 0))));
    expect(largest).toBeGreaterThan(0);
    expect(change / largest).toBeGreaterThan(0.01);
  });

  it('every model has input dims', () => {
    for (const name of [...modelNames, ...ocrModelNames]) expect(defaultInputDims(name)).toHaveLength(4);
  });
});
