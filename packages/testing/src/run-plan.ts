/**
 * Runs one dispatch plan on a GPU. Every operand lies between guard words, outputs and scratch start as a
 * sentinel pattern (a NaN), so writes out of range, unwritten elements and reads of undefined memory show up.
 */
import { alignUp, type DispatchPlan, DispatchProgram, type GpuBuffer, type GpuDevice } from '@onegpu/core';
import { checkBounds, VIOLATIONS } from './check-bounds.ts';

export type PlanArray = Float32Array | Uint32Array | Int32Array;
type ArrayType = 'float32' | 'uint32' | 'int32';

export interface OutputSpec {
  readonly type: ArrayType;
  /** Elements, padding of the layout included. */
  readonly length: number;
}

export interface PlanRun {
  readonly inputs: Readonly<Record<string, PlanArray>>;
  /** A number means that many float32. */
  readonly outputs: Readonly<Record<string, number | OutputSpec>>;
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
  [K in keyof O]: O[K] extends { type: 'uint32' }
    ? Uint32Array
    : O[K] extends { type: 'int32' }
      ? Int32Array
      : Float32Array;
}> {
  const bounds = run.bounds ?? process.env.ONEGPU_TEST_BOUNDS === '1';
  const { maxStorageBuffersPerShaderStage } = device.capabilities.limits;
  const plan = bounds ? checkBounds(planned, maxStorageBuffersPerShaderStage) : planned;
  const placed = new Map<string, Placed>();
  const front = GUARD_BYTES + (run.arenaOffset ?? 0);
  const place = async (operand: string, data: Uint32Array, type: ArrayType): Promise<void> => {
    placed.set(operand, await placeOperand(device, { operand, data, type, front }));
  };
  for (const [operand, source] of Object.entries(run.inputs)) {
    const packing = plan.packing.find((entry) => entry.operand === operand);
    const data = packing === undefined ? source : packing.pack(source as Float32Array);
    await place(operand, bits(data), typeOf(data));
  }
  for (const { operand, bytes } of plan.scratch) {
    await place(operand, new Uint32Array(Math.ceil(bytes / 4)).fill(SENTINEL), 'float32');
  }
  for (const [operand, output] of Object.entries(run.outputs)) {
    const { type, length } = outputSpec(output);
    await place(operand, new Uint32Array(length).fill(SENTINEL), type);
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
    const results: Record<string, PlanArray> = {};
    for (const [operand, entry] of placed) {
      const words = await readWords(device, entry.buffer);
      checkGuards(plan, operand, words, entry);
      if (operand === VIOLATIONS) checkViolations(plan, words[entry.range.byteOffset / 4]);
      const output = run.outputs[operand];
      if (output === undefined) continue;
      const data = words.slice(entry.range.byteOffset / 4, (entry.range.byteOffset + entry.dataBytes) / 4);
      if (run.partial !== true) checkWritten(plan, operand, data);
      results[operand] = view(data, outputSpec(output).type);
    }
    return results as never;
  } finally {
    program.destroy();
    for (const entry of placed.values()) device.destroyBuffer(entry.buffer);
  }
}

async function placeOperand(
  device: GpuDevice,
  spec: { operand: string; data: Uint32Array; type: ArrayType; front: number },
): Promise<Placed> {
  const dataBytes = spec.data.byteLength;
  const size = spec.front + alignUp(Math.max(dataBytes, 16), 256) + GUARD_BYTES;
  const buffer = await device.createBuffer({
    label: spec.operand,
    size,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
  const words = new Uint32Array(size / 4).fill(SENTINEL);
  words.set(spec.data, spec.front / 4);
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
  const last = first + entry.dataBytes / 4;
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

function typeOf(data: PlanArray): ArrayType {
  if (data instanceof Float32Array) return 'float32';
  return data instanceof Uint32Array ? 'uint32' : 'int32';
}

function bits(data: PlanArray): Uint32Array {
  return new Uint32Array(data.buffer, data.byteOffset, data.length);
}

function view(data: Uint32Array, type: ArrayType): PlanArray {
  if (type === 'float32') return new Float32Array(data.buffer);
  return type === 'uint32' ? data : new Int32Array(data.buffer);
}
