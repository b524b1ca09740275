import type { DispatchPlan } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import { expectExact, runPlan, testDevice } from '../src/index.ts';

function doublingPlan(overrun: number): DispatchPlan {
  const wgsl = `
@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;
@group(0) @binding(2) var<uniform> params: vec4u;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < params.x) { dst[id.x] = 2.0 * src[min(id.x, 4u)]; }
}`;
  return {
    operator: 'Double',
    algorithm: 'direct',
    label: 'double/direct/f32',
    passes: [
      {
        label: 'double/direct/f32',
        wgsl,
        bindings: [
          { operand: 'src', access: 'read' },
          { operand: 'dst', access: 'read_write' },
        ],
        params: new Uint32Array([5 + overrun, 0, 0, 0]),
        workgroups: [1, 1, 1],
      },
    ],
    scratch: [],
    tables: [],
    packing: [],
    cost: { flops: 5, bytes: 40 },
  };
}

describe('runPlan', () => {
  const inputs = { src: new Float32Array([1, 2, 3, 4, 5]) };

  it('runs a plan and reads its output', async () => {
    const { dst } = await runPlan(await testDevice(), doublingPlan(0), { inputs, outputs: { dst: 5 } });
    expectExact(dst, [2, 4, 6, 8, 10], [5]);
  });

  it('reports a write past the end', async () => {
    const run = runPlan(await testDevice(), doublingPlan(1), { inputs, outputs: { dst: 5 } });
    await expect(run).rejects.toThrow('wrote element 5 of "dst"');
  });

  it('counts reads outside an array when it checks bounds', async () => {
    const short = { src: new Float32Array([1, 2, 3, 4]) };
    const plan = doublingPlan(0);
    const inside = runPlan(await testDevice(), plan, { inputs, outputs: { dst: 5 }, bounds: true });
    expectExact((await inside).dst, [2, 4, 6, 8, 10], [5]);
    const outside = runPlan(await testDevice(), plan, { inputs: short, outputs: { dst: 5 }, bounds: true });
    await expect(outside).rejects.toThrow('double/direct/f32: 1 accesses outside an array');
  });

  it('counts accesses outside arrays of fixed length', async () => {
    const plan = doublingPlan(0);
    const table = 'var table = array<f32, 4>(); table[id.x] = src[id.x]; dst[id.x] = table[id.x];';
    const passes = plan.passes.map((pass) => ({
      ...pass,
      wgsl: pass.wgsl.replace(/dst\[.*;/, table),
    }));
    const run = runPlan(
      await testDevice(),
      { ...plan, passes },
      { inputs, outputs: { dst: 5 }, bounds: true },
    );
    await expect(run).rejects.toThrow('2 accesses outside an array');
  });

  it('reports an element that was never written', async () => {
    const run = runPlan(await testDevice(), doublingPlan(-1), { inputs, outputs: { dst: 5 } });
    await expect(run).rejects.toThrow('element 4 of "dst" was never written');
  });
});
