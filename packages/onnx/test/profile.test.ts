/** Profiles of small models on the GPU: what rows cover, what was fused, times, memory, and no timestamps at all. */
import type { GpuDevice } from '@onegpu/core';
import { newTestDevice, randomFill, testDevice } from '@onegpu/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InferenceSession, type ProfileReport, type ProfileRow, Tensor } from '../src/index.ts';
import { buildModel, type NodeDescription } from './model-builder.ts';

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

/** Rows of the model's own nodes: x [1, 8, 5, 7], w [16, 8, 1, 1], v [4, 16, 1, 1]. */
async function rowsOf(nodes: readonly NodeDescription[]): Promise<readonly ProfileRow[]> {
  const bytes = buildModel({
    inputs: { x: { type: 'float32', dims: [1, 8, 5, 7] } },
    outputs: { y: { type: 'float32' } },
    nodes,
    initializers: { w: floats([16, 8, 1, 1], 1), v: floats([4, 16, 1, 1], 2) },
  });
  const session = await InferenceSession.create(bytes, { device: await testDevice() });
  try {
    const { rows } = await session.profile({ x: floats([1, 8, 5, 7], 3) }, { runs: 1 });
    return rows.filter((row) => row.nodes.length > 0);
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
        // Where they only meet, in a row of several dispatches, the first may end before the second begins.
        const meet = Math.min(a.lastRow, b.lastRow) - Math.max(a.firstRow, b.firstRow);
        const inTurns = meet === 0 && (report.rows[Math.min(a.lastRow, b.lastRow)]?.dispatches ?? 1) > 1;
        const together = a !== b && a.arena === b.arena && meet >= 0 && !inTurns;
        const apart = a.byteOffset + a.bytes <= b.byteOffset || b.byteOffset + b.bytes <= a.byteOffset;
        if (together) expect(apart, `${a.name} and ${b.name}`).toBe(true);
      }
    }
  });

  it('tells what was folded into weights and chains, and where a chain runs alone', async () => {
    const [merged, pool, chain] = await rowsOf([
      { name: 'first', op: 'Conv', inputs: ['x', 'w'], outputs: ['a'] },
      { name: 'second', op: 'Conv', inputs: ['a', 'v'], outputs: ['b'] },
      { name: 'gate', op: 'Sigmoid', inputs: ['b'], outputs: ['g'] },
      { name: 'silu', op: 'Mul', inputs: ['b', 'g'], outputs: ['c'] },
      { name: 'pool', op: 'GlobalAveragePool', inputs: ['c'], outputs: ['p'] },
      { name: 'exp', op: 'Exp', inputs: ['p'], outputs: ['e'] },
      { name: 'abs', op: 'Abs', inputs: ['e'], outputs: ['y'] },
    ]);
    expect(merged?.nodes).toEqual(['first', 'second', 'gate', 'silu']);
    expect(merged?.nodeOperators).toEqual(['Conv', 'Conv', 'Sigmoid', 'Mul']);
    expect(merged?.fused).toEqual(['pointwise', 'bias', 'silu']);
    expect(pool).toMatchObject({ nodes: ['pool'], fused: [] });
    expect(chain).toMatchObject({ nodes: ['exp', 'abs'], fused: ['abs'] });
  });

  it('has no rows where nothing runs on the GPU, and no times of it', async () => {
    const session = await InferenceSession.create(
      buildModel({
        inputs: { x: { type: 'float32', dims: [2, 3] } },
        outputs: { y: { type: 'float32' } },
        nodes: [{ name: 'flat', op: 'Flatten', inputs: ['x'], outputs: ['y'], attributes: { axis: 0 } }],
      }),
      { device: await testDevice() },
    );
    const calls: string[] = [];
    const alias = await session.profile(
      { x: floats([2, 3], 1) },
      { runs: 2, onRun: (done, total) => calls.push(`${done}/${total}`) },
    );
    const refused = session.profile({ x: floats([2, 3], 1) }, { onRun: 5 as never });
    await expect(refused).rejects.toThrow(/profile.onRun: .*got 5, expected a function/);
    await session.release();
    expect(alias.rows).toEqual([]);
    expect(alias.totals).toEqual({
      wallMs: alias.totals.wallMs,
      profiledWallMs: alias.totals.wallMs,
      flops: 0,
      bytes: 0,
    });
    expect(alias.notes.join()).toContain('Nothing of this model runs on the GPU');
    expect(alias.notes.join()).not.toContain('no timestamps');
    expect(calls).toEqual(['1/2', '2/2']);
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
