import { expectExact, runPlan, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import {
  type DispatchPlan,
  defaultCapabilities,
  type GpuElementType,
  halfToNumber,
  numberToHalf,
  type OperandArray,
  storeNarrow,
} from '../src/index.ts';

const DEFAULTS = defaultCapabilities();
const ELEMENTS = ['f32', 'vec4f', 'u32', 'vec4u'] as const;
const INTEGERS = ['i32', 'vec4i', ...ELEMENTS] as const;

/** dst[i] = src[i], every element read and written as a kernel would. */
function copyPlan(element: (typeof INTEGERS)[number], count: number): DispatchPlan {
  const wgsl = `
@group(0) @binding(0) var<storage, read> src: array<${element}>;
@group(0) @binding(1) var<storage, read_write> dst: array<${element}>;
@group(0) @binding(2) var<uniform> params: vec4u;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < params.x) { dst[id.x] = src[id.x]; }
}`;
  const pass = {
    label: `copy/${element}`,
    wgsl,
    bindings: [
      { operand: 'src', access: 'read' },
      { operand: 'dst', access: 'read_write' },
    ],
    params: Uint32Array.of(count, 0, 0, 0),
    workgroups: [Math.ceil(count / 64), 1, 1],
  } as const;
  const rest = { scratch: [], tables: [], packing: [], cost: { flops: 0, bytes: 8 * count } };
  return { operator: 'Copy', algorithm: 'direct', label: 'copy/direct/f32', passes: [pass], ...rest };
}

async function copy<T extends OperandArray>(
  element: (typeof INTEGERS)[number],
  src: T,
  type: 'float16' | 'uint16' | 'int16' | 'uint8' | 'int8',
  native = false,
): Promise<OperandArray> {
  const device = await testDevice();
  const count = element.startsWith('vec4') ? src.length / 4 : src.length;
  const types: Record<string, GpuElementType> = { src: type, dst: type };
  const target = { ...device.capabilities, float16: native };
  const plan = storeNarrow(copyPlan(element, count), types, target);
  const { dst } = await runPlan(device, plan, {
    inputs: { src },
    outputs: { dst: { type, length: src.length } },
    bounds: true,
    partial: true,
  });
  return dst;
}

const isNaNHalf = (bits: number): boolean => (bits & 0x7c00) === 0x7c00 && (bits & 0x3ff) !== 0;
/** All but NaN, and two zeros more to make whole vec4. */
const ALL_HALVES = Uint16Array.from(
  Array.from({ length: 0x10002 }, (_, index) => index % 0x10000).filter((bits) => !isNaNHalf(bits)),
);

async function storages(): Promise<readonly boolean[]> {
  return (await testDevice()).capabilities.float16 ? [false, true] : [false];
}

describe('float16 operands', () => {
  it.each(ELEMENTS)('%s kernels copy every half', async (element) => {
    for (const native of await storages()) {
      expectExact(await copy(element, ALL_HALVES, 'float16', native), ALL_HALVES, [ALL_HALVES.length]);
    }
  });

  it('an odd number of elements leaves what lies behind alone', async () => {
    const odd = Uint16Array.of(0x3c00, 0xbc00, 0x7bff, 0x0001, 0x8000);
    for (const native of await storages()) expectExact(await copy('f32', odd, 'float16', native), odd, [5]);
  });

  it('a float32 result rounds to the nearest half, ties to even', async () => {
    const device = await testDevice();
    const near = [...ALL_HALVES]
      .filter((bits) => bits % 7 === 0)
      .flatMap((bits) => {
        const value = halfToNumber(bits);
        const next = halfToNumber(Math.min(bits + 1, bits >= 0x8000 ? 0xfc00 : 0x7c00));
        const middle = (value + next) / 2;
        return [value, middle, middle * (1 + 2 ** -20), middle * (1 - 2 ** -20)];
      });
    const awkward = [65519.996, 65520, 1e9, -1e30, 3e-8, 2.9802322e-8, 2.98024e-8, 1e-30, -0, 2 ** -25];
    const values = Float32Array.from([...near.filter(Number.isFinite), ...awkward]);
    const src = values.subarray(0, values.length - (values.length % 4));
    const expected = Uint16Array.from(src, numberToHalf);
    for (const [element, count] of [
      ['f32', src.length],
      ['vec4f', src.length / 4],
    ] as const) {
      for (const native of await storages()) {
        const target = { ...device.capabilities, float16: native };
        const plan = storeNarrow(copyPlan(element, count), { dst: 'float16' }, target);
        const outputs = { dst: { type: 'float16', length: src.length } } as const;
        const { dst } = await runPlan(device, plan, { inputs: { src }, outputs, partial: true });
        expectExact(dst, expected, [src.length]);
      }
    }
  });

  it('is NaN where the result is', async () => {
    const device = await testDevice();
    const plan = storeNarrow(
      copyPlan('f32', 2),
      { dst: 'float16' },
      { ...device.capabilities, float16: false },
    );
    const inputs = { src: Uint32Array.of(0x7fc00000, 0xff800001) };
    const { dst } = await runPlan(device, plan, { inputs, outputs: { dst: { type: 'float16', length: 2 } } });
    expect([...dst].every(isNaNHalf)).toBe(true);
  });

  it('labels say f16', () => {
    const target = { ...DEFAULTS, float16: true };
    const plan = storeNarrow(copyPlan('f32', 1), { src: 'float16', dst: 'float16' }, target);
    expect(plan.label).toBe('copy/direct/f16');
    expect(plan.cost.bytes).toBe(4);
    expect(plan.passes[0]?.wgsl).toMatch(/^enable f16;/);
  });
});

describe('operands of bytes', () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, index) => (index * 37) % 256);

  it.each(['u32', 'vec4u'] as const)('%s kernels copy every byte', async (element) => {
    expectExact(await copy(element, bytes, 'uint8'), bytes, [1000]);
    const signed = Int8Array.from(bytes);
    expectExact(await copy(element, signed, 'int8'), signed, [1000]);
  });

  it('an odd number of elements', async () => {
    const odd = bytes.slice(0, 7);
    expectExact(await copy('u32', odd, 'uint8'), odd, [7]);
  });
});

describe('integers of 8 and 16 bits', () => {
  const values = Int16Array.from({ length: 1000 }, (_, index) => index * 6367);
  const arrays = {
    int8: Int8Array.from(values),
    uint8: Uint8Array.from(values),
    int16: values,
    uint16: Uint16Array.from(values),
  } as const;
  const types = Object.keys(arrays) as (keyof typeof arrays)[];

  it.each(types)('kernels of every element copy %s', async (type) => {
    for (const element of INTEGERS)
      expectExact(await copy(element, arrays[type], type), arrays[type], [1000]);
  });

  it.each(types)('%s is read as its numbers', async (type) => {
    const device = await testDevice();
    const src = arrays[type];
    for (const [element, count] of [
      ['i32', 1000],
      ['vec4i', 250],
      ['f32', 1000],
      ['vec4f', 250],
    ] as const) {
      const plan = storeNarrow(copyPlan(element, count), { src: type }, device.capabilities);
      const output = element.endsWith('i') || element === 'i32' ? 'int32' : 'float32';
      const outputs = { dst: { type: output, length: 1000 } } as const;
      const { dst } = await runPlan(device, plan, { inputs: { src }, outputs });
      expect([...dst]).toEqual([...src]);
    }
  });

  it('integers that are too large keep their low bits', async () => {
    const device = await testDevice();
    const src = Int32Array.of(300, -300, 70000, -70000, 128, -129, 32768, -32769);
    for (const [type, expected] of [
      ['int8', Int8Array.from(src)],
      ['uint16', Uint16Array.from(src)],
    ] as const) {
      const plan = storeNarrow(copyPlan('i32', 8), { dst: type }, device.capabilities);
      const outputs = { dst: { type, length: 8 } } as const;
      const { dst } = await runPlan(device, plan, { inputs: { src }, outputs, partial: true });
      expectExact(dst, expected, [8]);
    }
  });

  it('floats are rounded to the nearest, ties to even, and saturate', async () => {
    const device = await testDevice();
    const src = Float32Array.of(0.5, 1.5, -0.5, -1.5, 2.4999, 300, -300, 127.5);
    for (const [type, expected] of [
      ['int8', Int8Array.of(0, 2, 0, -2, 2, 127, -128, 127)],
      ['uint8', Uint8Array.of(0, 2, 0, 0, 2, 255, 0, 128)],
    ] as const) {
      const plan = storeNarrow(copyPlan('f32', 8), { dst: type }, device.capabilities);
      const outputs = { dst: { type, length: 8 } } as const;
      const { dst } = await runPlan(device, plan, { inputs: { src }, outputs, partial: true });
      expectExact(dst, expected, [8]);
    }
  });
});

it('a raw binding sees the words', async () => {
  const copied = copyPlan('u32', 2);
  const bindings = [
    { operand: 'src', access: 'read', bits: 'raw' },
    { operand: 'dst', access: 'read_write' },
  ] as const;
  const device = await testDevice();
  const raw = { ...copied, passes: copied.passes.map((pass) => ({ ...pass, bindings })) };
  const plan = storeNarrow(raw, { src: 'uint8' }, device.capabilities);
  const inputs = { src: Uint8Array.of(1, 2, 3, 4, 255, 0, 0, 128) };
  const { dst } = await runPlan(device, plan, { inputs, outputs: { dst: { type: 'uint32', length: 2 } } });
  expect([...dst]).toEqual([0x04030201, 0x800000ff]);
});

it('plans without narrow operands stay as they are', () => {
  const plan = copyPlan('f32', 1);
  expect(storeNarrow(plan, { src: 'float32', dst: 'int32' }, DEFAULTS)).toBe(plan);
});
