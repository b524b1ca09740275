import { defaultCapabilities } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import { packageVersion, readEnvironment } from './environment.ts';
import { formatBenchReport, markdownTable, milliseconds } from './report.ts';
import type { BenchRow } from './run-benchmark.ts';

const head = { label: 'model/net/f32/1x3x8x8', model: 'net', batch: 1, dims: [1, 3, 8, 8] };
const timing = { medianMs: 2, minMs: 1.5, maxMs: 3, spread: 0.1, runs: 5 };

describe('formatBenchReport', () => {
  it('names the machine, gives each row a line and each refusal its reason', async () => {
    const rows: BenchRow[] = [
      { ...head, runner: 'onegpu', timing, loadMs: 12, firstRunMs: 30 },
      { ...head, runner: 'ort-webgpu', timing, loadMs: 12, firstRunMs: 30, ratio: 8.25, difference: 3e-6 },
      { ...head, runner: 'ort-cpu', note: 'onnxruntime-node is not installed' },
    ];
    const environment = await readEnvironment(defaultCapabilities({ description: 'An adapter' }));
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
    expect(text).toMatch(/^An adapter; /);
    expect(text).toContain(`node ${process.versions.node}`);
    expect(text).toContain('5 runs after 3');
    expect(text).toMatch(/\| net +\| 1x3x8x8 \| ort-webgpu \| 2\.00 .*\| 8\.25 +\| 3\.0e-6/);
    expect(text).toContain('net, ort-cpu: onnxruntime-node is not installed');
  });
});

describe('markdownTable', () => {
  it('pads every column to its widest cell', () => {
    expect(markdownTable(['a', 'bb'], [['xyz', '1']])).toEqual([
      '| a   | bb |',
      '|-----|----|',
      '| xyz | 1  |',
    ]);
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
