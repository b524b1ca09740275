import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convLayerModel, normalValues, randomStream } from '@onegpu/test-models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BenchOptions, outputDifference, runBenchmark } from './run-benchmark.ts';

let folder = '';
let convPath = '';
let brokenPath = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onegpu-bench-'));
  convPath = join(folder, 'conv.onnx');
  brokenPath = join(folder, 'broken.onnx');
  const layer = {
    src: [1, 3, 7, 11],
    weights: [5, 3, 3, 3],
    strides: [1, 1],
    dilations: [1, 1],
    pads: [1, 1, 1, 1],
    groups: 1,
  };
  const values = (name: string, length: number) =>
    normalValues(length, { mean: 0, std: 0.2 }, randomStream(name));
  await writeFile(convPath, convLayerModel(layer, values('weights', 135), values('bias', 5)));
  await writeFile(brokenPath, 'no model');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const options: BenchOptions = {
  models: [],
  batches: [1],
  peers: ['ort-cpu'],
  runs: 3,
  warmup: 1,
  adapter: 'auto',
  mode: 'fast',
};

describe('runBenchmark', () => {
  it('times both runners and compares their outputs', async () => {
    const steps: number[] = [];
    const report = await runBenchmark({ ...options, models: [convPath] }, ({ done, total }) => {
      expect(total).toBe(2 * (1 + 1 + 3));
      steps.push(done);
    });
    expect(steps).toEqual(Array.from({ length: 10 }, (_, i) => i));
    const [ours, peer] = report.rows;
    expect(report.rows).toHaveLength(2);
    expect(ours).toMatchObject({ label: 'model/conv/f32/1x3x7x11', runner: 'onegpu', batch: 1 });
    expect(ours?.timing?.runs).toBe(3);
    expect(ours?.ratio).toBeUndefined();
    expect(peer?.ratio).toBe((peer?.timing?.medianMs ?? 0) / (ours?.timing?.medianMs ?? 0));
    // Twenty-seven products of two float32 computations that round in another order.
    expect(peer?.difference).toBeLessThan(28 * 2 ** -23);
  });

  it('measures images a second: ours over a stream, those of a peer from its median', async () => {
    const { rows } = await runBenchmark({ ...options, models: [convPath], throughput: true });
    const [ours, peer] = rows;
    expect(ours?.imagesPerSecond).toBeGreaterThan(0);
    expect(peer?.imagesPerSecond).toBeCloseTo(1000 / (peer?.timing?.medianMs ?? 0));
  });

  it('says why a model is refused and goes on with the next', async () => {
    const { rows } = await runBenchmark({ ...options, models: [brokenPath, convPath] });
    expect(rows.map(({ model, runner }) => `${model} ${runner}`)).toEqual([
      'broken onegpu',
      'conv onegpu',
      'conv ort-cpu',
    ]);
    expect(rows[0]?.timing).toBeUndefined();
    expect(rows[0]?.note).toBeTruthy();
  });

  it('says why a peer refuses a batch that the file fixes', async () => {
    const { rows } = await runBenchmark({ ...options, models: [convPath], batches: [2] });
    const peer = rows.find(({ runner }) => runner === 'ort-cpu');
    expect(peer?.timing).toBeUndefined();
    expect(peer?.note).toMatch(/dim/i);
  });

  it('refuses an unknown model before anything runs', async () => {
    await expect(runBenchmark({ ...options, models: ['no-such-model'] })).rejects.toThrow(/no-such-model/);
  });
});

describe('outputDifference', () => {
  it('is the largest over the outputs, and infinite where one is missing', () => {
    const output = (...data: number[]) => ({ dims: [data.length], data });
    expect(outputDifference({ a: output(1, 2), b: output(4) }, { a: output(1, 2), b: output(5) })).toBe(0.2);
    expect(outputDifference({}, { a: output(1) })).toBe(Number.POSITIVE_INFINITY);
  });
});
