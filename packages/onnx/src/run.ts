/** One run of a prepared plan: inputs written, dispatches encoded and outputs copied in one synchronous step. */
import {
  elementBytes,
  type GpuDevice,
  GpuDeviceLostError,
  rangeBytes,
  type TimestampRecorder,
  writeBytes,
} from '@onegpu/core';
import { checkAttached, type Feeds } from './feeds.ts';
import type { GraphValue } from './graph.ts';
import type { PreparedPlan } from './prepared-plan.ts';
import { ARRAY_CLASSES, Tensor, type TensorData, type TensorType } from './tensor.ts';

export interface SubmittedRun {
  readonly plan: PreparedPlan;
  readonly readback: GPUBuffer;
  /** Where each output's bytes begin in the readback buffer. */
  readonly offsets: ReadonlyMap<string, number>;
  readonly bytes: number;
  readonly host: SubmitTimes;
}

/** Host milliseconds of each part, and when the run was handed to the queue, as `performance.now()`. */
export interface SubmitTimes {
  readonly uploadMs: number;
  readonly encodeMs: number;
  readonly submitMs: number;
  readonly submittedAt: number;
}

/** A run with timestamps, resolved into `readback`: of the run as it is, or of passes that end behind given dispatches. */
export interface Timing {
  readonly of: 'dispatch' | 'run';
  readonly ends?: readonly number[];
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
): SubmitTimes {
  const start = performance.now();
  for (const [name, tensor] of plan.execution.inputs) {
    const feed = run.feeds[name];
    if (feed === undefined) continue;
    checkAttached(name, feed); // Again: time has passed since the run was asked for.
    writeBytes(device.raw.queue, plan.range(tensor), feed.data as Exclude<TensorData, string[]>);
  }
  const uploaded = performance.now();
  const encoder = device.raw.createCommandEncoder();
  if (run.timing?.of === 'dispatch') plan.program.encodeTimed(encoder, run.timing.recorder, run.timing.ends);
  else plan.program.encode(encoder, run.timing?.recorder.writes(0));
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
  const submittedAt = performance.now();
  return {
    uploadMs: uploaded - start,
    encodeMs: encoded - uploaded,
    submitMs: submittedAt - encoded,
    submittedAt,
  };
}

/** Waits for the run, copies its outputs out and gives the readback buffer back. */
export async function readOutputs(
  device: GpuDevice,
  run: SubmittedRun,
  outputs: readonly GraphValue[],
): Promise<Record<string, Tensor>> {
  await mapReadback(device, run.readback, run.bytes);
  return copyOutputs(device, run, outputs);
}

/** Copies the outputs out of the mapped readback buffer and gives the buffer back. */
export function copyOutputs(
  device: GpuDevice,
  run: SubmittedRun,
  outputs: readonly GraphValue[],
): Record<string, Tensor> {
  const data = takeMapped(device, run.readback, run.bytes);
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

/** Waits until the first bytes of a readback buffer can be read. @throws GpuDeviceLostError */
export async function mapReadback(device: GpuDevice, readback: GPUBuffer, bytes: number): Promise<void> {
  try {
    await readback.mapAsync(GPUMapMode.READ, 0, mappedSize(bytes));
  } catch (cause) {
    device.assertUsable();
    throw new GpuDeviceLostError('the results could not be read back', { subject: 'run' }, { cause });
  }
}

/** Copies the first bytes of a mapped readback buffer and gives it back. */
export function takeMapped(device: GpuDevice, readback: GPUBuffer, bytes: number): ArrayBuffer {
  const copy = readback.getMappedRange(0, mappedSize(bytes)).slice(0);
  readback.unmap();
  device.staging.release(readback);
  return copy;
}

function mappedSize(bytes: number): number {
  return Math.max(4, bytes);
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

function typedView(type: TensorType, bytes: ArrayBuffer): TensorData {
  if (type === 'string') throw new Error('strings do not live on the GPU');
  return new ARRAY_CLASSES[type](bytes);
}
