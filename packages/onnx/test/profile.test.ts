/** Profiles of small models on the GPU: what rows cover, what was fused, times, memory, and no timestamps at all. */
import type { GpuDevice } from '@onegpu/core';
import { newTestDevice, randomFill, testDevice } from '@onegpu/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InferenceSession, type ProfileReport, Tensor } from '../src/index.ts';
import { buildModel } from './model-builder.ts';

const floats = (dims: readonly number[], seed: number): Tensor =>
  new Tensor(
    'float32',
    randomFill(
      dims.reduce((product, extent) => product * extent, 1),
      seed,
    ),
    dims,
  );
const ones = (length: number): Tensor => new Tensor('float32', new Float32Array(length).fill(1), [length]);

/** Pad, Conv, BatchNormalization, Add, Relu, then a pool and a product of matrices. */
function model(): Uint8Array {
  return buildModel({
    inputs: { x: { type: 'float32', dims: ['batch', 8, 13, 9] } },
    outputs: { y: { type: 'float32' } },
    nodes: [
      { name: 'pad', op: 'Pad', inputs: ['x', 'pads'], outputs: ['p'] },
      { name: 'conv', op: 'Conv', inputs: ['p', 'w'], outputs: ['c'] },
      { name: 'norm', op: 'BatchNormalization', inputs: ['c', 's', 's', 's', 's'], outputs: ['n'] },
      { name: 'add', op: 'Add', inputs: ['n', 'x'], outputs: ['a'] },
      { name: 'relu', op: 'Relu', inputs: ['a'], outputs: ['r'] },
      { name: 'pool', op: 'GlobalAveragePool', inputs: ['r'], outputs: ['g'] },
      { name: 'flatten', op: 'Flatten', inputs: ['g'], outputs: ['f'] },
      { name: 'gemm', op: 'Gemm', inputs: ['f', 'v', 'b'], outputs: ['y'] },
    ],
    initializers: {
      pads: new Tensor('int64', [0n, 0n, 1n, 1n, 0n, 0n, 1n, 1n]),
      w: floats([8, 8, 3, 3], 1),
      s: ones(8),
      v: floats([8, 5], 2),
      b: ones(5),
    },
  });
}

const FEEDS = { x: floats([2, 8, 13, 9], 3) };

async function profileOn(device: GpuDevice): Promise<ProfileReport> {
  const session = await InferenceSession.create(model(), { device });
  try {
    return await session.profile(FEEDS, { runs: 3 });
  } finally {
    await session.release();
  }
}

describe('a profile', () => {
  let report: ProfileReport;

  beforeAll(async () => {
    report = await profileOn(await testDevice());
  });

  it('tells the operators a row covers and what was fused', () => {
    const conv = report.rows.find((row) => row.operator === 'conv');
    expect(conv?.nodes).toEqual(['pad', 'conv', 'norm', 'add', 'relu']);
    expect(conv?.nodeOperators).toEqual(['Pad', 'Conv', 'BatchNormalization', 'Add', 'Relu']);
    expect(conv?.fused).toEqual(['pad', 'affine', 'bias', 'residual', 'relu']);
    const conversion = report.rows.find((row) => row.operator === 'convert-layout');
    expect(conversion).toMatchObject({ nodes: [], nodeOperators: [], fused: [] });
  });

  it('times rows one after the other, and both kinds of run', () => {
    const { totals, rows, host } = report;
    for (const row of rows) expect(row.medianMs ?? 0).toBeGreaterThan(0);
    const begins = rows.map((row) => row.beginMs ?? Number.NaN);
    expect(begins[0]).toBe(0);
    expect(begins).toEqual([...begins].sort((a, b) => a - b));
    expect(rows.reduce((sum, row) => sum + (row.share ?? 0), 0)).toBeCloseTo(1);
    for (const ms of [totals.gpuMs, totals.spanMs, totals.unprofiledSpanMs]) expect(ms).toBeGreaterThan(0);
    expect(totals.passMs).toBeDefined();
    expect(report.resolutionMs).toBeGreaterThan(0);
    for (const ms of Object.values(host)) expect(ms).toBeGreaterThan(0);
    expect(Object.values(host).reduce((sum, ms) => sum + ms, 0)).toBeLessThan(totals.wallMs * 2);
    expect(totals.bytes).toBe(rows.reduce((sum, row) => sum + row.bytes, 0));
  });

  it('lays every value out in the arenas without two live ones overlapping', () => {
    const { arenas, tensors, arenaBytes, weightBytes } = report.memory;
    expect(arenas.reduce((sum, arena) => sum + arena.bytes, 0)).toBe(arenaBytes);
    expect(weightBytes).toBeGreaterThanOrEqual((8 * 8 * 9 + 8 * 5) * 4);
    expect(tensors.map((tensor) => tensor.name)).toContain('x:nchw');
    for (const a of tensors) {
      expect(a.firstRow).toBeLessThanOrEqual(a.lastRow);
      expect(a.lastRow).toBeLessThan(report.rows.length);
      expect(a.byteOffset + a.bytes).toBeLessThanOrEqual(arenas[a.arena]?.bytes ?? 0);
      for (const b of tensors) {
        const together = a !== b && a.arena === b.arena && a.firstRow <= b.lastRow && b.firstRow <= a.lastRow;
        const apart = a.byteOffset + a.bytes <= b.byteOffset || b.byteOffset + b.bytes <= a.byteOffset;
        if (together) expect(apart, `${a.name} and ${b.name}`).toBe(true);
      }
    }
  });

  it('survives JSON as it is', () => {
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });
});

describe('a profile on an adapter without timestamps', () => {
  let device: GpuDevice;

  beforeAll(async () => {
    device = await newTestDevice();
    Object.assign(device, { capabilities: { ...device.capabilities, timestamps: false } });
  });
  afterAll(() => device.disposeAsync());

  it('gives host times, rows without times, and says so', async () => {
    const report = await profileOn(device);
    expect(report.notes.join()).toContain('no timestamps');
    for (const row of report.rows) {
      for (const field of ['medianMs', 'p90Ms', 'share', 'beginMs', 'gflops', 'gbps', 'belowResolution']) {
        expect(row).not.toHaveProperty(field);
      }
    }
    for (const field of ['gpuMs', 'spanMs', 'unprofiledSpanMs', 'passMs']) {
      expect(report.totals).not.toHaveProperty(field);
    }
    expect(report).not.toHaveProperty('resolutionMs');
    expect(report.host.waitMs).toBeGreaterThan(0);
    expect(report.totals.profiledWallMs).toBe(report.totals.wallMs);
  });
});
