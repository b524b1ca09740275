import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convLayerModel } from '@onegpu/test-models';
import { testAdapter } from '@onegpu/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { benchMemory, type MemoryOptions } from './bench-memory.ts';
import { PeakOfSum, parsePairs } from './driver-memory.ts';
import { formatMemoryReport } from './memory-report.ts';
import { runChild } from './run-child.ts';

let folder = '';
let convPath = '';
const LAYER = {
  src: [1, 4, 16, 16],
  weights: [4, 4, 1, 1],
  strides: [1, 1],
  dilations: [1, 1],
  pads: [0, 0, 0, 0],
  groups: 1,
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onegpu-memory-'));
  convPath = join(folder, 'conv.onnx');
  await writeFile(convPath, convLayerModel(LAYER, new Float32Array(16).fill(0.5), new Float32Array(4)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the driver's answers", () => {
  it('are read line by line, whatever else stands between them', () => {
    expect(parsePairs('0, 1234\n1,56\n')).toEqual([
      [0, 1234],
      [1, 56],
    ]);
    expect(parsePairs('4711, [N/A]\nNo running processes found\n12, 8\n')).toEqual([[12, 8]]);
  });

  it('are summed over the devices before the peak is taken', () => {
    const sum = new PeakOfSum();
    expect(sum.peak).toBeUndefined();
    for (const [index, value] of [
      [0, 5],
      [1, 7],
      [0, 9],
      [1, 1],
      [0, 12],
    ] as const)
      sum.set(index, value);
    expect(sum.peak).toBe(16);
  });
});

describe('benchMemory', () => {
  const options: MemoryOptions = {
    ...{ models: [], batches: [1], peers: ['ort-webgpu', 'ort-cpu'] },
    ...{ adapter: testAdapter(), mode: 'fast' },
  };

  it('counts what a process of its own allocates, and says who counts', async () => {
    const report = await benchMemory({ ...options, models: [convPath] });
    const [ours, webgpu, cpu] = report.rows;
    expect(report.environment.adapter).not.toBe('');
    expect(ours?.dims).toEqual([1, 4, 16, 16]);
    // At least the input and the output.
    expect(ours?.ownBytes).toBeGreaterThanOrEqual(2 * 4 * 4 * 16 * 16);
    expect(cpu).toMatchObject({ runner: 'ort-cpu', note: 'runs on the CPU' });
    if (report.driverSource === 'none') expect(webgpu?.note).toMatch(/nobody counts/);
    const text = formatMemoryReport(report);
    expect(text).toMatch(/\| conv +\| 1x4x16x16 \| onegpu /);
    expect(text).toMatch(/conv.*, ort-cpu: runs on the CPU/);
  });

  it('says why a model is refused', async () => {
    const broken = join(folder, 'broken.onnx');
    await writeFile(broken, 'no model');
    const { rows } = await benchMemory({ ...options, peers: [], models: [broken] });
    expect(rows[0]?.ownBytes).toBeUndefined();
    expect(rows[0]?.note).toMatch(/broken\.onnx/);
  });
});

describe('runChild', () => {
  it('ends a process that takes too long', async () => {
    let pid: number | undefined;
    const task = { runner: 'idle', adapter: testAdapter() } as const;
    const answer = await runChild(task, {
      timeoutMs: 1,
      beforeEnd: async (child) => {
        pid = child;
      },
    });
    expect(answer).toEqual({ kind: 'failed', reason: 'no result within 0.001 s' });
    expect(pid).toBeUndefined();
  });

  it('keeps the process open until it was looked at, and no longer', async () => {
    let pid = 0;
    const task = { runner: 'idle', adapter: testAdapter() } as const;
    const answer = await runChild(task, {
      timeoutMs: 60_000,
      beforeEnd: async (child = 0) => {
        pid = child;
        expect(process.kill(pid, 0)).toBe(true);
      },
    });
    expect(answer.kind).toBe('done');
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });
});
