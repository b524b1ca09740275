/** The outputs of a run that stay on the GPU: copied behind the run's commands into buffers that the caller owns. */
import { elementBytes, type GpuDevice, InvalidInputError, rangeBytes, writeBytes } from '@onegpu/core';
import { checkOptions, describe } from './describe.ts';
import type { GraphValue } from './graph.ts';
import type { ValueInfo } from './op-definition.ts';
import { infoOf, type OutputTargets } from './run-outputs.ts';
import type { RunSlot } from './run-slot.ts';
import { gpuElementType } from './stored-tensors.ts';
import { elementCount, Tensor, type TensorLocation } from './tensor.ts';

/** Where results lie: all of them, or each by name, those not named on the host. */
export type OutputLocations = TensorLocation | Readonly<Record<string, TensorLocation>>;

/** Names of the outputs that stay on the GPU. @throws InvalidInputError for another location, and a name that is no output */
export function gpuOutputNames(
  outputs: readonly GraphValue[],
  locations: OutputLocations = 'cpu',
): ReadonlySet<string> {
  const names = outputs.map(({ name }) => name);
  if (typeof locations !== 'string') checkOptions('SessionOptions.preferredOutputLocation', locations);
  const entries = Object.entries(
    typeof locations === 'string' ? Object.fromEntries(names.map((name) => [name, locations])) : locations,
  );
  for (const [name, location] of entries) {
    const known = names.includes(name);
    if (known && (location === 'cpu' || location === 'gpu-buffer')) continue;
    throw new InvalidInputError(known ? 'there is no such location' : 'the model has no such output', {
      subject: 'SessionOptions.preferredOutputLocation',
      field: name,
      got: describe(location),
      expected: known ? 'cpu or gpu-buffer' : names.join(', '),
    });
  }
  return new Set(entries.filter(([, location]) => location === 'gpu-buffer').map(([name]) => name));
}

/** @throws InvalidInputError for neither, and for outputs of a stream that are to be filled again where the GPU holds some of them */
export function checkReuse(outputs: 'new' | 'reused', onGpu: ReadonlySet<string>): void {
  if (outputs !== 'new' && outputs !== 'reused') {
    const details = {
      subject: 'runMany',
      field: 'outputs',
      got: describe(outputs),
      expected: 'new or reused',
    };
    throw new InvalidInputError('there is no such value', details);
  }
  if (outputs === 'new' || onGpu.size === 0) return;
  throw new InvalidInputError('arrays are reused on the host alone', {
    subject: 'runMany',
    field: 'outputs',
    got: `${outputs}, and ${[...onGpu].join(', ')} on the GPU`,
    remedy: 'Leave it out, or preferredOutputLocation.',
  });
}

export class GpuOutputs {
  readonly tensors: ReadonlyMap<string, Tensor>;
  readonly #device: GpuDevice;
  readonly #own: readonly Tensor[];

  private constructor(device: GpuDevice, tensors: ReadonlyMap<string, Tensor>, own: readonly Tensor[]) {
    this.#device = device;
    this.tensors = tensors;
    this.#own = own;
  }

  /** A tensor for each output asked for that stays on the GPU: the caller's own, or a new one. */
  static async create(device: GpuDevice, slot: RunSlot, targets: OutputTargets): Promise<GpuOutputs> {
    const tensors = new Map<string, Tensor>();
    const own: Tensor[] = [];
    try {
      for (const [name, target] of targets.tensors) {
        if (!slot.gpuOutputs.has(name)) continue;
        const tensor = target ?? (await newGpuTensor(device, name, infoOf(slot.plan, name)));
        if (target === undefined) own.push(tensor);
        tensors.set(name, tensor);
      }
      return new GpuOutputs(device, tensors, own);
    } catch (error) {
      for (const tensor of own) tensor.dispose();
      throw error;
    }
  }

  /** Commands that copy the outputs out of the arenas, to be submitted right behind the run's. */
  encode({ plan }: RunSlot): GPUCommandBuffer[] {
    if (this.tensors.size === 0) return [];
    const encoder = this.#device.raw.createCommandEncoder();
    for (const [name, tensor] of this.tensors) {
      const known = infoOf(plan, name).constant?.data;
      const stored = plan.execution.outputs.get(name);
      if (known !== undefined && ArrayBuffer.isView(known)) {
        writeBytes(this.#device.raw.queue, { buffer: tensor.gpuBuffer, byteOffset: 0 }, known);
      } else if (stored !== undefined && stored.elements > 0) {
        const range = plan.range(stored);
        encoder.copyBufferToBuffer(range.buffer, range.byteOffset, tensor.gpuBuffer, 0, rangeBytes(range));
      }
    }
    return [encoder.finish()];
  }

  /** Frees what was made for a run that failed. */
  discard(): void {
    for (const tensor of this.#own) tensor.dispose();
  }
}

async function newGpuTensor(device: GpuDevice, name: string, { type, dims }: ValueInfo): Promise<Tensor> {
  const buffer = await device.createBuffer({
    label: `output ${name}`,
    size: elementCount(dims) * elementBytes(gpuElementType(type, name)),
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
  const dispose = (): void => device.destroyBuffer(buffer);
  return Tensor.fromGpuBuffer(buffer, { dataType: type, dims, device, dispose });
}
