import { testDevice } from '@onegpu/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DispatchPass,
  type DispatchPlan,
  DispatchProgram,
  foldWorkgroups,
  type GpuBuffer,
  type GpuDevice,
  GpuKernelShapeError,
  GpuLimitError,
  GpuShaderError,
  GpuValidationError,
  TimestampRecorder,
} from '../src/index.ts';

const COUNT_UP = `
@group(0) @binding(0) var<storage, read> table: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
@group(0) @binding(2) var<uniform> params: vec4u;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < params.x) { dst[id.x] = dst[id.x] + table[id.x] * params.y; }
}`;

function plan(pass: Partial<DispatchPass> = {}): DispatchPlan {
  return {
    operator: 'Count',
    algorithm: 'direct',
    label: 'count/direct/u32',
    passes: [
      {
        label: 'count/direct/u32',
        wgsl: COUNT_UP,
        bindings: [
          { operand: 'table', access: 'read' },
          { operand: 'dst', access: 'read_write' },
        ],
        params: new Uint32Array([4, 10, 0, 0]),
        workgroups: [1, 1, 1],
        ...pass,
      },
    ],
    scratch: [],
    tables: [{ operand: 'table', data: new Uint32Array([1, 2, 3, 4]) }],
    packing: [],
    cost: { flops: 0, bytes: 0 },
  };
}

describe('DispatchProgram', () => {
  let device: GpuDevice;
  let dst: GpuBuffer;

  beforeAll(async () => {
    device = await testDevice();
    const buffer = await device.createBuffer({ label: 'dst', size: 256, usage: 128 | 4 | 8 });
    dst = { buffer, type: 'uint32', byteOffset: 0, length: 4 };
  });

  afterAll(() => device.destroyBuffer(dst.buffer));

  async function read(): Promise<number[]> {
    const readback = await device.staging.acquire(16);
    const encoder = device.raw.createCommandEncoder();
    encoder.copyBufferToBuffer(dst.buffer, 0, readback, 0, 16);
    device.raw.queue.submit([encoder.finish()]);
    await readback.mapAsync(1, 0, 16);
    const values = [...new Uint32Array(readback.getMappedRange(0, 16))];
    readback.unmap();
    device.staging.release(readback);
    return values;
  }

  it('runs its plans in order with their parameters and tables', async () => {
    device.raw.queue.writeBuffer(dst.buffer, 0, new Uint32Array(4));
    const second = plan({ params: new Uint32Array([2, 100, 0, 0]) });
    const bound = [plan(), second].map((entry) => ({ plan: entry, operands: { dst } }));
    const program = await DispatchProgram.create(device, bound);
    await device.guard('test', () => {
      const encoder = device.raw.createCommandEncoder();
      program.encode(encoder);
      device.raw.queue.submit([encoder.finish()]);
    });
    expect(await read()).toEqual([110, 220, 30, 40]);
    program.destroy();
  });

  it('times every dispatch', async () => {
    const program = await DispatchProgram.create(device, [
      { plan: plan(), operands: { dst } },
      { plan: plan(), operands: { dst } },
    ]);
    const recorder = await TimestampRecorder.create(device, program.passes.length);
    const readback = await device.staging.acquire(recorder.bytes);
    await device.guard('test', () => {
      const encoder = device.raw.createCommandEncoder();
      program.encodeTimed(encoder, recorder);
      recorder.encodeResolve(encoder, readback);
      device.raw.queue.submit([encoder.finish()]);
    });
    await readback.mapAsync(1, 0, recorder.bytes);
    const times = recorder.decode(readback.getMappedRange(0, recorder.bytes).slice(0));
    readback.unmap();
    expect(times).toHaveLength(2);
    for (const time of times) expect(time.end).toBeGreaterThan(time.begin);
    recorder.destroy();
    program.destroy();
  });

  it('leaves empty dispatches out', async () => {
    const program = await DispatchProgram.create(device, [
      { plan: plan({ workgroups: [0, 1, 1] }), operands: { dst } },
    ]);
    expect(program.passes).toHaveLength(0);
    program.destroy();
  });

  it('refuses what cannot run and frees what it had made', async () => {
    const before = device.memory;
    const create = (pass: Partial<DispatchPass>, operands: Record<string, GpuBuffer> = { dst }) =>
      DispatchProgram.create(device, [{ plan: plan(pass), operands }]);
    await expect(create({ wgsl: 'fn main() {' })).rejects.toThrow(GpuShaderError);
    await expect(create({ workgroups: [70000, 1, 1] })).rejects.toThrow(GpuLimitError);
    await expect(create({}, {})).rejects.toThrow(GpuValidationError);
    expect(device.memory).toEqual(before);
  });

  describe('scratch', () => {
    const bindings = [
      { operand: 'table', access: 'read' },
      { operand: 'work', access: 'read_write' },
    ] as const;
    const DOUBLE = `
@group(0) @binding(0) var<storage, read> work: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { dst[id.x] = 2u * work[id.x]; }`;

    /** Twice the table times ten, by way of scratch that starts at zero. */
    function viaScratch(): DispatchPlan {
      const first = plan({ bindings });
      const second: DispatchPass = {
        label: 'count/double/u32',
        wgsl: DOUBLE,
        bindings: [
          { operand: 'work', access: 'read' },
          { operand: 'dst', access: 'read_write' },
        ],
        workgroups: [1, 1, 1],
      };
      return { ...first, passes: [...first.passes, second], scratch: [{ operand: 'work', bytes: 16 }] };
    }

    const create = (work?: GpuBuffer): Promise<DispatchProgram> =>
      DispatchProgram.create(device, [
        { plan: viaScratch(), operands: { dst, ...(work === undefined ? {} : { work }) } },
      ]);

    it('belongs to the program where the caller gives none', async () => {
      await read(); // the pool keeps a staging buffer
      const before = device.memory;
      const program = await create();
      await device.guard('test', () => {
        const encoder = device.raw.createCommandEncoder();
        program.encode(encoder);
        device.raw.queue.submit([encoder.finish()]);
      });
      expect(await read()).toEqual([20, 40, 60, 80]);
      program.destroy();
      expect(device.memory).toEqual(before);
    });

    it('of several names is read and written in one dispatch', async () => {
      const [first, second] = viaScratch().passes;
      if (first === undefined || second === undefined) throw new Error('two passes');
      const through = (from: string, to: string): DispatchPass => ({
        ...second,
        bindings: [
          { operand: from, access: 'read' },
          { operand: to, access: 'read_write' },
        ],
      });
      const passes = [first, through('work', 'more'), through('more', 'dst')];
      const scratch = ['work', 'more'].map((operand) => ({ operand, bytes: 16 }));
      const before = device.memory;
      const program = await DispatchProgram.create(device, [
        { plan: { ...viaScratch(), passes, scratch }, operands: { dst } },
      ]);
      await device.guard('test', () => {
        const encoder = device.raw.createCommandEncoder();
        program.encode(encoder);
        device.raw.queue.submit([encoder.finish()]);
      });
      expect(await read()).toEqual([40, 80, 120, 160]);
      program.destroy();
      expect(device.memory).toEqual(before);
    });

    it('is refused where it overlaps an operand or is too small', async () => {
      const before = device.memory;
      const at = (byteOffset: number, length = 4): GpuBuffer => ({ ...dst, byteOffset, length });
      await expect(create(at(0))).rejects.toThrow(GpuKernelShapeError);
      await expect(create(at(0))).rejects.toThrow(/count.direct.u32.work: .*"dst" lies at 0 to 16/);
      await expect(create(at(256, 3))).rejects.toThrow('got 12 bytes, expected at least 16');
      expect(device.memory).toEqual(before);
    });

    it('may lie beside an operand, and anywhere that a memory plan chose', async () => {
      const size = 512;
      const buffer = await device.createBuffer({ label: 'work', size, usage: 128 });
      const other = await create({ buffer, type: 'uint32', byteOffset: 256, length: 4 });
      other.destroy();
      const planned = await DispatchProgram.create(device, [
        {
          plan: { ...viaScratch(), passes: viaScratch().passes.slice(0, 1) },
          operands: { dst, work: dst },
          placement: 'planned',
        },
      ]);
      planned.destroy();
      device.destroyBuffer(buffer);
    });
  });
});

describe('foldWorkgroups', () => {
  it('covers every workgroup within the limit', () => {
    for (const count of [0, 1, 7, 8, 9, 63, 64]) {
      const [x, y, z] = foldWorkgroups(count, 8);
      expect(x * y * z).toBeGreaterThanOrEqual(count);
      expect(Math.max(x, y, z)).toBeLessThanOrEqual(8);
    }
  });
});
