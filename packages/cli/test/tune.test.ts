/** `onegpu tune` as a process: a table, choices that are kept, and what it refuses. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TUNE_REPORT_SCHEMA, type TuneReport } from '@onegpu/onnx';
import { convLayerModel } from '@onegpu/test-models';
import { testAdapter } from '@onegpu/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatTuning } from '../src/tune-table.ts';
import { onegpu } from './onegpu-process.ts';

const LAYER = {
  src: [1, 3, 7, 11],
  weights: [5, 3, 3, 3],
  strides: [1, 1],
  dilations: [1, 1],
  pads: [1, 1, 1, 1],
  groups: 1,
};

let folder = '';
let model = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onegpu-cli-tune-'));
  model = join(folder, 'conv.onnx');
  await writeFile(model, convLayerModel(LAYER, new Float32Array(135).fill(0.25), new Float32Array(5)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const tune = (...words: readonly string[]) =>
  onegpu(['tune', model, '--adapter', testAdapter(), ...words], {
    ONEGPU_CACHE: join(folder, 'cache'),
    COLUMNS: '200',
  });

describe('onegpu tune', () => {
  it('prints what it measured and where that lies; another run measures nothing', async () => {
    const { code, out } = await tune();
    expect(code).toBe(0);
    expect(out).toMatch(/1 layers, 1 distinct, 1 measured, /);
    const kept = (await readdir(join(folder, 'cache'))).filter((name) => name.startsWith('tuning-'));
    expect(kept).toHaveLength(1);
    expect(out).toContain(`kept in ${join(folder, 'cache', kept[0] ?? '')}`);

    const again = await tune('--json');
    const report: TuneReport = JSON.parse(again.out);
    expect(report.schema).toBe(TUNE_REPORT_SCHEMA);
    expect(report.layers.map(({ state, tried }) => [state, tried])).toEqual([['kept', 0]]);
    const { algorithm, configuration = '' } = report.layers[0]?.rule ?? {};
    expect(out).toContain(`  conv 1x5x7x11  ${`${algorithm} ${configuration}`.trim()}  `);
  });

  it('refuses inputs the model lacks and a limit that is none', async () => {
    const unknown = await tune('--shape', 'nothing=1x3x7x11');
    expect([unknown.code, unknown.error]).toEqual([2, expect.stringContaining('no such input')]);
    const limit = await tune('--limit', '0');
    expect([limit.code, limit.error]).toEqual([2, expect.stringContaining('1 or more')]);
  });
});

describe('formatTuning', () => {
  const layer: TuneReport['layers'][number] = {
    nodes: ['/layer1/conv1/Conv'],
    ...{ operator: 'conv', shape: [8, 256, 128, 128], layout: 'nhwc4', count: 12, state: 'measured' },
    tried: 12,
    rule: { algorithm: 'implicit-gemm', configuration: '64x128x16/8x8', label: 'a', us: 1234.5 },
    tuned: { algorithm: 'implicit-gemm', configuration: '64x64x16/8x4', label: 'b', us: 999.5 },
    notes: [],
  };
  const report: TuneReport = {
    schema: TUNE_REPORT_SCHEMA,
    ...{ adapter: 'a GPU', inputs: { x: [8, 3, 512, 512] }, timeSource: 'timestamps' },
    layers: [layer, { ...layer, state: 'unmeasured', notes: ['time ran out'], tuned: layer.rule }],
    totals: { steps: 24, ruleUs: 200, tunedUs: 190 },
    ...{ seconds: 1, warnings: [] },
  };

  it('fits 80 columns and says what differs', () => {
    const lines = formatTuning(report, 80).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.find((line) => line.includes('19.0'))).toMatch(/12 {2}conv 8x256.* 1235 {2}64x64x16\/8x4 /);
    expect(lines).toContain('note: time ran out (one layer)');
    expect(lines).toContain('sum, each layer n times: 200.0 us by the rules, 190.0 us tuned, 5.0 % less');
  });
});
