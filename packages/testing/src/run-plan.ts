/**
 * Runs one dispatch plan on a GPU. Every operand lies between guard words, outputs and scratch start as a
 * sentinel pattern (a NaN), so writes out of range, unwritten elements and reads of undefined memory show up.
 */
import {
  alignUp,
  type DispatchPlan,
  DispatchProgram,
  type GpuBuffer,
  type GpuDevice,
  halfToNumber,
  numberToHalf,
  type OperandArray,
  storeNarrow,
} from '@onegpu/core';
import { checkBounds, VIOLATIONS } from './check-bounds.ts';
import { expectExact } from './compare.ts';

/** float16 as raw bits. */
const ARRAY_CLASSES = {
  float32: Float32Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float16: Uint16Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int8: Int8Array,
  uint8: Uint8Array,
} as const;

type ArrayType = keyof typeof ARRAY_CLASSES;
type ArrayOf<T extends ArrayType> = InstanceType<(typeof ARRAY_CLASSES)[T]>;

export interface OutputSpec {
  readonly type: ArrayType;
  /** Elements, padding of the layout included. */
  readonly length: number;
}

export interface PlanRun {
  readonly inputs: Readonly<Record<string, OperandArray>>;
  /** A number means that many float32. */
  readonly outputs: Readonly<Record<string, number | OutputSpec>>;
  /** Store every float32 input and output as float16, inputs rounded, outputs given back as numbers. */
  readonly half?: boolean;
  /** Extra bytes in front of every operand, a multiple of 256: determinism must not depend on it. */
  readonly arenaOffset?: number;
  /** Count the accesses outside arrays and throw if there are any; by default where ONEGPU_TEST_BOUNDS is 1. */
  readonly bounds?: boolean;
  /** Allow elements the plan leaves unwritten. */
  readonly partial?: boolean;
}

/** A quiet NaN with a payload no kernel makes. */
const SENTINEL = 0x7fc5a5a5;
const GUARD_BYTES = 256;

interface Placed {
  readonly buffer: GPUBuffer;
  readonly range: GpuBuffer;
  readonly dataBytes: number;
}

/** Runs the plan; answers with one array an output. Throws when a guard word changed or an element is unwritten. */
export async function runPlan<O extends Readonly<Record<string, number | OutputSpec>>>(
  device: GpuDevice,
  planned: DispatchPlan,
  run: PlanRun & { readonly outputs: O },
): Promise<{
  [K in keyof O]: O[K] extends { readonly type: infer T extends ArrayType } ? ArrayOf<T> : Float32Array;
}> {
  if (run.half === true) return (await runHalf(device, planned, run)) as never;
  const bounds = run.bounds ?? process.env.ONEGPU_TEST_BOUNDS === '1';
  const { maxStorageBuffersPerShaderStage } = device.capabilities.limits;
  const plan = bounds ? checkBounds(planned, maxStorageBuffersPerShaderStage) : planned;
  const placed = new Map<string, Placed>();
  const front = GUARD_BYTES + (run.arenaOffset ?? 0);
  const place = async (operand: string, data: OperandArray, type: ArrayType): Promise<void> => {
    placed.set(operand, await placeOperand(device, { operand, data, type, front }));
  };
  for (const [operand, source] of Object.entries(run.inputs)) {
    const packing = plan.packing.find((entry) => entry.operand === operand);
    const data = packing === undefined ? source : packing.pack(source);
    await place(operand, data, typeOf(data));
  }
  for (const { operand, bytes } of plan.scratch) {
    await place(operand, new Uint32Array(Math.ceil(bytes / 4)).fill(SENTINEL), 'float32');
  }
  for (const [operand, output] of Object.entries(run.outputs)) {
    const { type, length } = outputSpec(output);
    await place(operand, unwritten(type, length), type);
  }
  if (bounds) await place(VIOLATIONS, new Uint32Array(1), 'uint32');
  const operands = Object.fromEntries([...placed].map(([operand, entry]) => [operand, entry.range]));
  const program = await DispatchProgram.create(device, [{ plan, operands }]);
  try {
    await device.guard(plan.label, () => {
      const encoder = device.raw.createCommandEncoder();
      program.encode(encoder);
      device.raw.queue.submit([encoder.finish()]);
    });
    const results: Record<string, OperandArray> = {};
    for (const [operand, entry] of placed) {
      const words = await readWords(device, entry.buffer);
      checkGuards(plan, operand, words, entry);
      if (operand === VIOLATIONS) checkViolations(plan, words[entry.range.byteOffset / 4]);
      const output = run.outputs[operand];
      if (output === undefined) continue;
      const first = entry.range.byteOffset / 4;
      const data = words.slice(first, first + wordsOf(entry.dataBytes));
      if (run.partial !== true) checkWritten(plan, operand, data);
      const { type, length } = outputSpec(output);
      results[operand] = new ARRAY_CLASSES[type](data.buffer, 0, length);
    }
    return results as never;
  } finally {
    program.destroy();
    for (const entry of placed.values()) device.destroyBuffer(entry.buffer);
  }
}

/** The plan over float16 operands, both ways that they are stored where the adapter has both. */
async function runHalf(
  device: GpuDevice,
  plan: DispatchPlan,
  { half: _, ...run }: PlanRun,
): Promise<Record<string, OperandArray>> {
  const isFloat = (spec: number | OutputSpec): boolean => outputSpec(spec).type === 'float32';
  const floats = [
    ...Object.keys(run.inputs).filter((operand) => run.inputs[operand] instanceof Float32Array),
    ...Object.keys(run.outputs).filter((operand) => isFloat(run.outputs[operand] ?? 0)),
  ];
  const types = Object.fromEntries(floats.map((operand) => [operand, 'float16' as const]));
  const inputs = Object.fromEntries(
    Object.entries(run.inputs).map(([operand, data]) => [
      operand,
      data instanceof Float32Array ? Uint16Array.from(data, numberToHalf) : data,
    ]),
  );
  const outputs = Object.fromEntries(
    Object.entries(run.outputs).map(([operand, spec]) => [
      operand,
      isFloat(spec) ? { type: 'float16' as const, length: outputSpec(spec).length } : spec,
    ]),
  );
  const packed = storeNarrow(plan, types, { ...device.capabilities, float16: false });
  const results: Record<string, OperandArray> = await runPlan(device, packed, { ...run, inputs, outputs });
  if (device.capabilities.float16) {
    const native = storeNarrow(plan, types, device.capabilities);
    const others: Record<string, OperandArray> = await runPlan(device, native, { ...run, inputs, outputs });
    for (const [operand, data] of Object.entries(others)) {
      expectExact(numbersOf(data), numbersOf(results[operand] ?? data), [data.length]);
    }
  }
  return Object.fromEntries(Object.entries(results).map(([operand, data]) => [operand, numbersOf(data)]));
}

/** Halves as numbers, so that one NaN is as good as another. */
function numbersOf(data: OperandArray): OperandArray {
  return data instanceof Uint16Array ? Float32Array.from(data, halfToNumber) : data;
}

async function placeOperand(
  device: GpuDevice,
  spec: { operand: string; data: OperandArray; type: ArrayType; front: number },
): Promise<Placed> {
  const dataBytes = spec.data.byteLength;
  const size = spec.front + alignUp(Math.max(dataBytes, 16), 256) + GUARD_BYTES;
  const buffer = await device.createBuffer({
    label: spec.operand,
    size,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
  const words = new Uint32Array(size / 4).fill(SENTINEL);
  const { buffer: bytes, byteOffset } = spec.data;
  new Uint8Array(words.buffer).set(new Uint8Array(bytes, byteOffset, dataBytes), spec.front);
  device.raw.queue.writeBuffer(buffer, 0, words);
  return {
    buffer,
    dataBytes,
    range: { buffer, type: spec.type, byteOffset: spec.front, length: spec.data.length },
  };
}

async function readWords(device: GpuDevice, buffer: GPUBuffer): Promise<Uint32Array> {
  const readback = await device.staging.acquire(buffer.size);
  await device.guard('readback', () => {
    const encoder = device.raw.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, readback, 0, buffer.size);
    device.raw.queue.submit([encoder.finish()]);
  });
  await readback.mapAsync(GPUMapMode.READ, 0, buffer.size);
  const words = new Uint32Array(readback.getMappedRange(0, buffer.size).slice(0));
  readback.unmap();
  device.staging.release(readback);
  return words;
}

function checkGuards(plan: DispatchPlan, operand: string, words: Uint32Array, entry: Placed): void {
  const first = entry.range.byteOffset / 4;
  const last = first + wordsOf(entry.dataBytes);
  words.forEach((word, index) => {
    if ((index < first || index >= last) && word !== SENTINEL) {
      throw new Error(
        `${plan.label}: wrote element ${index - first} of "${operand}", which has ${last - first}`,
      );
    }
  });
}

function checkViolations(plan: DispatchPlan, count: number | undefined): void {
  if (count !== 0) throw new Error(`${plan.label}: ${count} accesses outside an array`);
}

function checkWritten(plan: DispatchPlan, operand: string, data: Uint32Array): void {
  const left = data.indexOf(SENTINEL);
  if (left >= 0) throw new Error(`${plan.label}: element ${left} of "${operand}" was never written`);
}

function outputSpec(output: number | OutputSpec): OutputSpec {
  return typeof output === 'number' ? { type: 'float32', length: output } : output;
}

function typeOf(data: OperandArray): ArrayType {
  const types = Object.keys(ARRAY_CLASSES) as ArrayType[];
  const type = types.find((name) => data instanceof ARRAY_CLASSES[name]);
  if (type === undefined) throw new Error(`no operand is held in ${data.constructor.name}`);
  return type;
}

function wordsOf(bytes: number): number {
  return Math.ceil(bytes / 4);
}

/** Elements of the sentinel's bits. */
function unwritten(type: ArrayType, length: number): OperandArray {
  const words = new Uint32Array(length).fill(SENTINEL);
  return new ARRAY_CLASSES[type](words.buffer, 0, length);
}
