/**
 * One run of a prepared plan: inputs written and commands submitted in one synchronous step, the readback asked for in
 * the same step, then the commands of the slot's next run and the outputs' memory made while the GPU works.
 */
import { elementBytes, type GpuDevice, GpuDeviceLostError, writeBytes } from '@onegpu/core';
import { checkAttached } from './feeds.ts';
import type { SingleFeeds } from './gpu-feed.ts';
import { GpuOutputs } from './gpu-outputs.ts';
import { checkTargets, fillOutput, type OutputTargets, outputTensors } from './run-outputs.ts';
import type { RunSlot } from './run-slot.ts';
import { Tensor, type TensorData } from './tensor.ts';
import { isLargeUpload } from './upload-buffers.ts';

export interface SubmittedRun {
  readonly slot: RunSlot;
  /** What `takeOutputs` fills. */
  readonly outputs: ReadonlyMap<string, Tensor>;
  readonly host: SubmitTimes;
  /**
   * Resolves when the outputs can be copied out of the readback buffer, which is mapped then; where all of them stay on
   * the GPU, when WebGPU has taken the run.
   * @throws GpuDeviceLostError, GpuOutOfMemoryError, GpuValidationError
   */
  readonly mapped: Promise<void>;
  /** Frees what was made on the GPU for the outputs of a run that failed. */
  discard(): void;
}

/** Host milliseconds of each part, and when the run was handed to the queue, as `performance.now()`. */
export interface SubmitTimes {
  readonly uploadMs: number;
  readonly submitMs: number;
  /** The next run's commands. */
  readonly encodeMs: number;
  readonly submittedAt: number;
}

export interface RunRequest {
  readonly feeds: SingleFeeds;
  readonly targets: OutputTargets;
}

/** Feeds are read before this resolves. @throws InvalidInputError, GpuDeviceLostError, GpuValidationError */
export async function submitRun(
  device: GpuDevice,
  slot: RunSlot,
  { feeds, targets }: RunRequest,
): Promise<SubmittedRun> {
  checkTargets(device, slot, targets);
  if (slot.stages.size > 0) await slot.stages.prepare(feeds);
  const onGpu = slot.gpuOutputs.size > 0 ? await GpuOutputs.create(device, slot, targets) : undefined;
  try {
    // Another plan may have replaced an arena since this one ran.
    while (!slot.plan.isBound) await slot.plan.rebind();
    return submitPrepared(device, slot, { feeds, targets, onGpu });
  } catch (error) {
    onGpu?.discard();
    throw error;
  }
}

/** All of it in one synchronous step. */
function submitPrepared(
  device: GpuDevice,
  slot: RunSlot,
  { feeds, targets, onGpu }: RunRequest & { readonly onGpu: GpuOutputs | undefined },
): SubmittedRun {
  device.assertUsable();
  const start = performance.now();
  const { value: times, checked } = device.watch('run', () => {
    const feedOf = (name: string): ArrayBufferView => attachedData(name, feeds);
    const staged = slot.stages.encode(slot.plan, feeds);
    writeSmallInputs(device, slot, feedOf);
    const commands = slot.takeCommands();
    const lastUpload = slot.uploads.submit(feedOf, commands.uploads);
    const uploaded = performance.now();
    const copies = onGpu?.encode(slot) ?? [];
    const last = commands.parts.length - 1;
    commands.parts.forEach((part, index) => {
      const before = index === 0 ? [...lastUpload, ...staged] : [];
      device.raw.queue.submit([...before, part, ...(index === last ? copies : [])]);
    });
    const submittedAt = performance.now();
    return { uploadMs: uploaded - start, submitMs: submittedAt - uploaded, submittedAt };
  });
  const mapped = whenMapped(device, slot, checked);
  mapped.catch(() => {}); // Nobody awaits it where there is no memory for the outputs below.
  const encoding = performance.now();
  slot.prepareNext();
  const host = { ...times, encodeMs: performance.now() - encoding };
  const outputs = outputTensors(slot.plan, targets, onGpu?.tensors);
  return { slot, host, mapped, outputs, discard: () => onGpu?.discard() };
}

function writeSmallInputs(
  device: GpuDevice,
  { plan, stages }: RunSlot,
  feedOf: (name: string) => ArrayBufferView,
): void {
  for (const [name, tensor] of plan.execution.inputs) {
    if (stages.has(name)) continue;
    const range = plan.range(tensor);
    if (!isLargeUpload(range, device.capabilities)) writeBytes(device.raw.queue, range, feedOf(name));
  }
}

/** @throws InvalidInputError for data that went elsewhere since the run was asked for */
function attachedData(name: string, feeds: SingleFeeds): ArrayBufferView {
  const feed = feeds[name];
  if (!(feed instanceof Tensor)) throw new Error(`input ${name} is not fed`);
  checkAttached(name, feed);
  return feed.data as Exclude<TensorData, string[]>;
}

async function whenMapped(device: GpuDevice, slot: RunSlot, checked: Promise<void>): Promise<void> {
  const { readback, layout } = slot;
  const isRead = layout.bytes > 0;
  const mapping = isRead ? readback.mapAsync(GPUMapMode.READ, 0, layout.bytes) : undefined;
  const [refused, unmapped] = await Promise.allSettled([checked, Promise.all([mapping, slot.uploads.map()])]);
  if (refused.status === 'rejected') throw refused.reason;
  if (unmapped.status === 'fulfilled') return;
  device.assertUsable();
  const cause = unmapped.reason;
  throw new GpuDeviceLostError('the results could not be read back', { subject: 'run' }, { cause });
}

/** Copies the outputs out of the mapped readback buffer and unmaps it. */
export function takeOutputs({ slot, outputs }: SubmittedRun): Record<string, Tensor> {
  const { plan, readback, layout } = slot;
  const { outputBytes, offsets } = layout;
  const mapped = outputBytes > 0 ? readback.getMappedRange(0, outputBytes) : new ArrayBuffer(0);
  for (const output of outputs) {
    const [name, { location }] = output;
    if (location === 'gpu-buffer') continue;
    const stored = plan.execution.outputs.get(name);
    const bytes = stored === undefined ? 0 : stored.elements * elementBytes(stored.type);
    fillOutput(plan, output, new Uint8Array(mapped, offsets.get(name) ?? 0, bytes));
  }
  readback.unmap();
  // Not by assignment: an output may be called "__proto__".
  return Object.fromEntries(outputs);
}
