/** Rows from recorded timestamps: medians, begins, shares, and times that a coarse clock cannot tell from zero. */
import type { DispatchPlan, PassTime } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import type { ExecutionStep } from './execution-plan.ts';
import { profileRows } from './profile-rows.ts';

function step(name: string, cost = { flops: 2e6, bytes: 1e6 }): ExecutionStep {
  const plan: DispatchPlan = {
    operator: 'conv',
    algorithm: 'direct',
    label: 'conv/direct/f32',
    passes: [],
    scratch: [],
    tables: [],
    packing: [],
    cost,
  };
  const node = undefined;
  return { node, covers: [name], plan, operands: {}, refused: [], dims: [1], layout: 'nchw' };
}

/** Passes one behind the other, durations in milliseconds, with a gap of 1 ms between. */
function run(...durations: readonly number[]): PassTime[] {
  let now = 0;
  return durations.map((ms) => {
    const begin = now;
    const end = begin + ms * 1e6;
    now = end + 1e6;
    return { begin, end };
  });
}

/** The same timestamps as a clock of 65536 ns gives them. */
function quantized(passes: readonly PassTime[]): PassTime[] {
  const floor = (time: number): number => Math.floor(time / 65536) * 65536;
  return passes.map(({ begin, end }) => ({ begin: floor(begin), end: floor(end) }));
}

const request = (runs: readonly (readonly PassTime[])[], steps = [step('a'), step('b')]) => ({
  steps,
  stepOfPass: [0, 0, 1],
  runs,
  operators: new Map([['a', 'Conv']]),
  fusedParts: () => ['relu'],
});

describe('profileRows', () => {
  it('sums the passes of a step and takes the median over the runs', () => {
    const [a, b] = profileRows(request([run(1, 2, 3), run(1, 4, 5), run(2, 8, 30)]));
    expect(a).toMatchObject({ medianMs: 5, beginMs: 0, dispatches: 2, nodeOperators: ['Conv'] });
    expect(b).toMatchObject({ medianMs: 5, beginMs: 5, share: 0.5, dispatches: 1, fused: ['relu'] });
    expect(b?.gflops).toBe(2e6 / 5 / 1e6);
    expect(b?.gbps).toBe(1e6 / 5 / 1e6);
  });

  it('trims a tenth from each end, and nothing from a few runs', () => {
    const ten = [1, 2, 2, 2, 2, 2, 2, 2, 3, 900].map((ms) => run(0, 0, ms));
    const [, row] = profileRows(request(ten));
    expect(row?.medianMs).toBe(2);
    expect(row?.p90Ms).toBeLessThanOrEqual(3);
    const [, alone] = profileRows(request([run(0, 0, 7)]));
    expect(alone).toMatchObject({ medianMs: 7, p90Ms: 7 });
  });

  it('says below resolution where a coarse clock shows no time, and gives no time', () => {
    const runs = [1, 2, 3].map((ms) => quantized(run(0.001, 0.002, ms)));
    const [short, long] = profileRows(request(runs));
    expect(short).toMatchObject({ belowResolution: true, beginMs: 0 });
    for (const field of ['medianMs', 'p90Ms', 'share', 'gflops', 'gbps'])
      expect(short).not.toHaveProperty(field);
    expect(long?.share).toBe(1);
    expect(long).not.toHaveProperty('belowResolution');
  });

  it('takes a clock that runs backwards for no time', () => {
    const [a] = profileRows(
      request([[...run(0, 0), { begin: 5, end: 9 }].map((p) => ({ begin: p.end, end: p.begin }))]),
    );
    expect(a).toMatchObject({ belowResolution: true });
  });

  it('gives rows without times where there are no timestamps', () => {
    const [a, b] = profileRows(request([]));
    expect(a).toMatchObject({ flops: 2e6, bytes: 1e6, dispatches: 2 });
    for (const row of [a, b]) {
      for (const field of ['medianMs', 'beginMs', 'share', 'belowResolution'])
        expect(row).not.toHaveProperty(field);
    }
  });

  it('flags no step that has no dispatch', () => {
    const [, , empty] = profileRows(request([run(1, 1, 1)], [step('a'), step('b'), step('c')]));
    expect(empty).toMatchObject({ dispatches: 0 });
    for (const field of ['medianMs', 'beginMs', 'belowResolution']) expect(empty).not.toHaveProperty(field);
  });
});
