/** One run of a prepared plan: inputs written, dispatches encoded and outputs copied in one synchronous step. */
import {
  elementBytes,
  type GpuBuffer,
  type GpuDevice,
  GpuDeviceLostError,
  rangeBytes,
  type TimestampRecorder,
} from '@onegpu/core';
import { checkAttached, type Feeds } from './feeds.ts';
import type { GraphValue } from './graph.ts';
import type { PreparedPlan } from './prepared-plan.ts';
import { Tensor, type TensorType } from './tensor.ts';

export interface SubmittedRun {
  readonly plan: PreparedPlan;
  readonly readback: GPUBuffer;
  /** Where each output's bytes begin in the readback buffer. */
  readonly offsets: ReadonlyMap<string, number>;
  readonly bytes: number;
  /** Host milliseconds spent on each part. */
  readonly host: { readonly upload: number; readonly encode: number; readonly submit: number };
}

/** A run with a timestamp recorder also resolves the timestamps into `timestamps`. */
export interface Timing {
  readonly recorder: TimestampRecorder;
  readonly readback: GPUBuffer;
}

/** @throws GpuDeviceLostError, GpuOutOfMemoryError, GpuValidationError */
export async function submitRun(
  device: GpuDevice,
  plan: PreparedPlan,
  feeds: Feeds,
  timing?: Timing,
): Promise<SubmittedRun> {
  const { offsets, bytes } = outputOffsets(plan);
  const readback = await device.staging.acquire(bytes);
  try {
    // Another plan may have replaced an arena while this one waited.
    while (!plan.isBound) await plan.rebind();
    const host = await device.guard('run', () =>
      encodeRun(device, plan, { feeds, readback, offsets, timing }),
    );
    return { plan, readback, offsets, bytes, host };
  } catch (error) {
    device.staging.release(readback);
    throw error;
  }
}

function encodeRun(
  device: GpuDevice,
  plan: PreparedPlan,
  run: {
    feeds: Feeds;
    readback: GPUBuffer;
    offsets: ReadonlyMap<string, number>;
    timing: Timing | undefined;
  },
): SubmittedRun['host'] {
  const start = performance.now();
  for (const [name, tensor] of plan.execution.inputs) {
    const feed = run.feeds[name];
    if (feed === undefined) continue;
    checkAttached(name, feed); // Again: time has passed since the run was asked for.
    if (feed.size > 0) write(device, plan.range(tensor), feed);
  }
  const uploaded = performance.now();
  const encoder = device.raw.createCommandEncoder();
  plan.program.encode(encoder, run.timing?.recorder);
  for (const [name, tensor] of plan.execution.outputs) {
    const range = plan.range(tensor);
    const offset = run.offsets.get(name) ?? 0;
    if (range.length > 0)
      encoder.copyBufferToBuffer(range.buffer, range.byteOffset, run.readback, offset, rangeBytes(range));
  }
  if (run.timing !== undefined) run.timing.recorder.encodeResolve(encoder, run.timing.readback);
  const commands = encoder.finish();
  const encoded = performance.now();
  device.raw.queue.submit([commands]);
  const submitted = performance.now();
  return { upload: uploaded - start, encode: encoded - uploaded, submit: submitted - encoded };
}

/** Waits for the run, copies its outputs out and gives the readback buffer back. */
export async function readOutputs(
  device: GpuDevice,
  run: SubmittedRun,
  outputs: readonly GraphValue[],
): Promise<Record<string, Tensor>> {
  const data = await readBack(device, run.readback, run.bytes);
  // Not by assignment: an output may be called "__proto__".
  return Object.fromEntries(outputs.map(({ name }) => [name, readOutput(run, name, data)]));
}

function readOutput(run: SubmittedRun, name: string, data: ArrayBuffer): Tensor {
  const info = run.plan.inferred.values.get(name);
  if (info?.constant !== undefined) {
    const { type, data: known, dims } = info.constant;
    return new Tensor(type, known.slice(), dims);
  }
  const stored = run.plan.execution.outputs.get(name);
  if (info === undefined || stored === undefined) throw new Error(`output ${name} was not computed`);
  const offset = run.offsets.get(name) ?? 0;
  const bytes = data.slice(offset, offset + stored.elements * elementBytes(stored.type));
  return new Tensor(info.type, typedView(info.type, bytes), info.dims);
}

/** Maps a readback buffer, copies its first bytes and gives it back. @throws GpuDeviceLostError */
export async function readBack(device: GpuDevice, readback: GPUBuffer, bytes: number): Promise<ArrayBuffer> {
  const size = Math.max(4, bytes);
  try {
    await readback.mapAsync(GPUMapMode.READ, 0, size);
  } catch (cause) {
    device.assertUsable();
    throw new GpuDeviceLostError('the results could not be read back', { subject: 'run' }, { cause });
  }
  const copy = readback.getMappedRange(0, size).slice(0);
  readback.unmap();
  device.staging.release(readback);
  return copy;
}

function outputOffsets(plan: PreparedPlan): { offsets: Map<string, number>; bytes: number } {
  let bytes = 0;
  const offsets = new Map<string, number>();
  for (const [name, tensor] of plan.execution.outputs) {
    offsets.set(name, bytes);
    bytes += Math.ceil((tensor.elements * elementBytes(tensor.type)) / 16) * 16;
  }
  return { offsets, bytes: Math.max(bytes, 4) };
}

function write(device: GpuDevice, range: GpuBuffer, feed: Tensor): void {
  const data = feed.data as Exclude<Tensor['data'], string[]>;
  // Dawn's Node bindings refuse views over shared memory.
  const shared = typeof SharedArrayBuffer !== 'undefined' && data.buffer instanceof SharedArrayBuffer;
  device.raw.queue.writeBuffer(
    range.buffer,
    range.byteOffset,
    (shared ? data.slice() : data) as BufferSource,
  );
}

function typedView(type: TensorType, bytes: ArrayBuffer): Float32Array | Int32Array | Uint32Array {
  if (type === 'int32') return new Int32Array(bytes);
  return type === 'uint32' ? new Uint32Array(bytes) : new Float32Array(bytes);
}
