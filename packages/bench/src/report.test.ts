import { testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { packageVersion, readEnvironment } from './environment.ts';
import { formatBenchReport } from './report.ts';
import { markdownTable, milliseconds, percent } from './report-column.ts';
import type { BenchRow } from './run-benchmark.ts';

const head = { label: 'model/net/f32/1x3x8x8', model: 'net', batch: 1, dims: [1, 3, 8, 8] };
const timing = { medianMs: 2, minMs: 1.5, maxMs: 3, spread: 0.1, runs: 5 };

describe('formatBenchReport', () => {
  it('names the machine, gives each row a line and each refusal its reason', async () => {
    const rows: BenchRow[] = [
      { ...head, runner: 'onegpu', timing, readyMs: 42 },
      { ...head, runner: 'ort-webgpu', timing, readyMs: 84, ratio: 8.25, readyRatio: 2, difference: 3e-6 },
      { ...head, runner: 'ort-cpu', note: 'onnxruntime-node is not installed' },
    ];
    const environment = await readEnvironment(await testDevice());
    const options = {
      models: ['net'],
      batches: [1],
      peers: ['ort-webgpu', 'ort-cpu'],
      runs: 5,
      warmup: 2,
      adapter: 'auto',
      mode: 'fast',
    } as const;
    const text = formatBenchReport({ environment, options, rows });
    expect(text.startsWith(`${environment.adapter}; ${environment.driver}\n`)).toBe(true);
    expect(text).toContain(`node ${process.versions.node}`);
    expect(text).toContain('5 runs after 3');
    expect(text).toMatch(
      /\| net +\| 1x3x8x8 \| ort-webgpu \| +2\.00 .*\| +8\.25 \| +84\.0 \| +2\.00 \| +3\.0e-6/,
    );
    expect(text).toContain('net 1x3x8x8, ort-cpu: onnxruntime-node is not installed');
    expect(text).not.toContain('images/s');
    const streamed = rows.slice(0, 1).map((row) => ({ ...row, imagesPerSecond: 1234.5 }));
    const withRates = formatBenchReport({
      environment,
      options: { ...options, throughput: true },
      rows: streamed,
    });
    expect(withRates).toMatch(/\| images\/s \|[\s\S]*\| +1235 \|/);
  });
});

describe('markdownTable', () => {
  it('pads every column to its widest cell', () => {
    expect(markdownTable(['a', 'bb'], [['xyz', '1']])).toEqual([
      '| a   | bb |',
      '|-----|----|',
      '| xyz | 1  |',
    ]);
    expect(markdownTable(['a', 'b'], [['x', '1']], ['left', 'right'])).toEqual([
      '| a  |  b |',
      '|----|---:|',
      '| x  |  1 |',
    ]);
  });
});

describe('percent', () => {
  it('keeps a decimal where there is no second digit', () => {
    expect([0.0012, 0.0994, 0.0996, 0.5, 1.2].map(percent)).toEqual(['0.1', '9.9', '10', '50', '120']);
  });
});

describe('milliseconds', () => {
  it('keeps three significant digits', () => {
    expect([0.1234, 1.2345, 12.345, 123.45, 12345].map(milliseconds)).toEqual([
      '0.123',
      '1.23',
      '12.3',
      '123',
      '12345',
    ]);
  });
});

describe('packageVersion', () => {
  it('reads the version of what is installed, and gives nothing for the rest', () => {
    expect(packageVersion('@onegpu/bench')).toMatch(/^\d+\.\d+\.\d+/);
    expect(packageVersion('onnxruntime-node')).toMatch(/^\d+\.\d+\.\d+/);
    expect(packageVersion('@onegpu/no-such-package')).toBeUndefined();
  });
});
