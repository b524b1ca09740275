/**
 * The tensors that a run's outputs are copied into. Their memory is made while the GPU works: a large array is fresh
 * pages of the system's, and to have them mapped one by one takes longer than to fill them (4.8 MB: 2 ms against 0.2).
 * A caller may bring tensors of its own, as with onnxruntime-common's `fetches`, which spares the pages altogether.
 */
import { type GpuDevice, InvalidInputError } from '@onegpu/core';
import { checkAttached, checkDevice } from './feeds.ts';
import type { GraphValue } from './graph.ts';
import type { ValueInfo } from './op-definition.ts';
import type { PreparedPlan } from './prepared-plan.ts';
import type { RunSlot } from './run-slot.ts';
import { allocateData, elementCount, Tensor, type TensorData, type TensorLocation } from './tensor.ts';

/** Names of the outputs wanted, or an entry for each: a tensor to be filled, or null for a new one. */
export type Fetches = readonly string[] | Readonly<Record<string, Tensor | null>>;

/** Where a run's outputs go. */
export interface OutputTargets {
  /** By name, in the order in which results list them; undefined: a new tensor. */
  readonly tensors: ReadonlyMap<string, Tensor | undefined>;
  /** What becomes of a tensor that an output does not fit into: it is the caller's mistake, or a new one takes its place. */
  readonly misfit: 'refused' | 'replaced';
}

/** @throws InvalidInputError for a name that is no output, and for something that is no Tensor */
export function resolveFetches(outputs: readonly GraphValue[], fetches: Fetches | undefined): OutputTargets {
  const names = outputs.map(({ name }) => name);
  if (fetches === undefined) return newTensors(names);
  if (typeof fetches !== 'object' || fetches === null) {
    throw wrongFetch('it is neither a list of names nor a record of tensors', '', typeof fetches);
  }
  const entries = Array.isArray(fetches)
    ? fetches.map((name: string) => [name, null] as const)
    : Object.entries(fetches as Readonly<Record<string, Tensor | null>>);
  for (const [name, target] of entries) {
    if (!names.includes(name))
      throw wrongFetch('the model has no such output', '', String(name), names.join(', '));
    if (target === null || target instanceof Tensor) continue;
    throw wrongFetch('the target is no Tensor', name, typeof target);
  }
  const tensors = new Map(entries.map(([name, target]) => [name, target ?? undefined]));
  checkDistinct(tensors);
  return { tensors, misfit: 'refused' };
}

/** @throws InvalidInputError for one memory for two outputs, of which the second would be left */
function checkDistinct(tensors: OutputTargets['tensors']): void {
  const names = new Map<unknown, string>();
  for (const [name, target] of tensors) {
    if (target === undefined) continue;
    const memory = target.location === 'cpu' ? target.data : target.gpuBuffer;
    const other = names.get(memory);
    if (other !== undefined)
      throw wrongFetch('two outputs have the same target', name, `that of "${other}"`, 'one for each');
    names.set(memory, name);
  }
}

function newTensors(names: readonly string[]): OutputTargets {
  return { tensors: new Map(names.map((name) => [name, undefined])), misfit: 'replaced' };
}

/** The tensors of a stream that fills them again and again, one set after another. */
export class KeptOutputs {
  readonly #names: readonly string[];
  readonly #sets: (Readonly<Record<string, Tensor>> | undefined)[];
  #next = 0;

  /** `sets`: one more than runs are open, since a result is still looked at while as many others are filled. */
  constructor(outputs: readonly GraphValue[], sets: number) {
    this.#names = outputs.map(({ name }) => name);
    this.#sets = new Array(sets).fill(undefined);
  }

  /** Where the next run's outputs go; `keep` takes what they have become. */
  take(): {
    readonly targets: OutputTargets;
    readonly keep: (outputs: Readonly<Record<string, Tensor>>) => void;
  } {
    const index = this.#next;
    this.#next = (index + 1) % this.#sets.length;
    const tensors = new Map(Object.entries(this.#sets[index] ?? {}));
    const targets = tensors.size === 0 ? newTensors(this.#names) : { tensors, misfit: 'replaced' as const };
    return { targets, keep: (outputs) => (this.#sets[index] = outputs) };
  }
}

/** @throws InvalidInputError for a target of another type, extents, location or device, or whose data went elsewhere */
export function checkTargets(
  device: GpuDevice,
  { plan, gpuOutputs }: RunSlot,
  { tensors, misfit }: OutputTargets,
): void {
  if (misfit === 'replaced') return;
  for (const [name, target] of tensors) {
    if (target === undefined) continue;
    checkTarget(name, target, infoOf(plan, name), gpuOutputs.has(name) ? 'gpu-buffer' : 'cpu');
    checkDevice(name, target, device, 'fetches');
    const usage = target.location === 'cpu' ? GPUBufferUsage.COPY_DST : target.gpuBuffer.usage;
    if ((usage & GPUBufferUsage.COPY_DST) === 0)
      throw wrongFetch('the buffer cannot be copied to', name, `usage ${usage}`, 'COPY_DST');
  }
}

/** A tensor for each output of a run of this plan; those on the GPU are given. */
export function outputTensors(
  plan: PreparedPlan,
  { tensors, misfit }: OutputTargets,
  onGpu?: ReadonlyMap<string, Tensor>,
): ReadonlyMap<string, Tensor> {
  return new Map(
    [...tensors].map(([name, target]) => {
      const given = onGpu?.get(name);
      if (given !== undefined) return [name, given];
      const info = infoOf(plan, name);
      // One that lost its data since it was checked is refused when it is filled.
      const isKept = target !== undefined && (misfit === 'refused' || fits(target, info));
      return [name, isKept ? target : newTensor(info)];
    }),
  );
}

/** Fills a tensor with an output: known on the host, or the bytes that were read back. */
export function fillOutput(
  plan: PreparedPlan,
  [name, tensor]: readonly [string, Tensor],
  bytes: Uint8Array,
): void {
  checkAttached(name, tensor, 'fetches');
  const { data } = tensor;
  const known = infoOf(plan, name).constant?.data;
  if (known !== undefined) copyElements(known, data);
  else if (ArrayBuffer.isView(data) && data.byteLength === bytes.length) {
    new Uint8Array(data.buffer, data.byteOffset, data.byteLength).set(bytes);
  } else throw new Error(`output ${name} was not computed`);
}

const PAGE_BYTES = 4096;

/** Type, dims and, where the host knows it, the value of an output. */
export function infoOf(plan: PreparedPlan, name: string): ValueInfo {
  const info = plan.inferred.values.get(name);
  if (info === undefined) throw new Error(`output ${name} is not known`);
  return info;
}

function newTensor({ type, dims }: ValueInfo): Tensor {
  const data = allocateData(type, elementCount(dims));
  if (!Array.isArray(data)) {
    const bytes = new Uint8Array(data.buffer);
    for (let at = 0; at < bytes.length; at += PAGE_BYTES) bytes[at] = 0; // Maps the page.
  }
  return new Tensor(type, data, dims);
}

function copyElements(from: TensorData, to: TensorData): void {
  for (let index = 0; index < from.length; index++) (to as unknown[])[index] = from[index];
}

function checkTarget(name: string, target: Tensor, info: ValueInfo, location: TensorLocation): void {
  checkAttached(name, target, 'fetches');
  if (target.location !== location) {
    throw wrongFetch('preferredOutputLocation has this output elsewhere', name, target.location, location);
  }
  if (fits(target, info)) return;
  const describe = ({ type, dims }: ValueInfo): string => `${type} [${dims.join(', ')}]`;
  throw wrongFetch('the target has another type or other extents', name, describe(target), describe(info));
}

function fits({ type, dims, size }: Tensor, info: ValueInfo): boolean {
  const sameDims =
    dims.length === info.dims.length && dims.every((extent, axis) => extent === info.dims[axis]);
  return type === info.type && sameDims && size === elementCount(dims);
}

function wrongFetch(message: string, field: string, got: string, expected?: string): InvalidInputError {
  const details = { subject: 'fetches', field, got };
  return new InvalidInputError(message, expected === undefined ? details : { ...details, expected });
}
