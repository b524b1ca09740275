/**
 * A list of dispatch plans bound to memory and ready to encode: pipelines compiled, one uniform buffer with the
 * parameters of every pass, one storage buffer with every table, one bind group a pass. Encoding creates nothing.
 */

import type { DispatchPass, DispatchPlan } from './dispatch-plan.ts';
import { GpuLimitError, GpuValidationError } from './errors.ts';
import { alignUp, type GpuBuffer, rangeBytes } from './gpu-buffer.ts';
import type { GpuDevice } from './gpu-device.ts';
import { checkScratch, OwnedScratch } from './scratch-memory.ts';
import type { TimestampRecorder } from './timestamps.ts';

/** A plan and the memory of each operand that its passes name, tables excepted; scratch may be left to the program. */
export interface BoundDispatch {
  readonly plan: DispatchPlan;
  readonly operands: Readonly<Record<string, GpuBuffer>>;
  /**
   * `planned`: a memory plan placed the operands pass by pass, so scratch may lie where another operand is no longer, or
   * not yet, needed. Absent: scratch that overlaps an operand is refused.
   */
  readonly placement?: 'planned';
}

export interface ProgramPass {
  readonly pass: DispatchPass;
  /** Position of the pass's plan in the program's list. */
  readonly dispatch: number;
}

/** Passes `from` up to `to`, by default all; `timestampWrites` times them as a whole. */
export interface ProgramPart {
  readonly from?: number;
  readonly to?: number;
  readonly timestampWrites?: GPUComputePassTimestampWrites | undefined;
}

interface ReadyPass extends ProgramPass {
  readonly pipeline: GPUComputePipeline;
  readonly paramsOffset: number;
  /** Of the operands that the program is bound to; none before `rebind`. */
  bindGroup: GPUBindGroup | undefined;
}

export class DispatchProgram {
  readonly #device: GpuDevice;
  readonly #passes: ReadyPass[];
  readonly #params: GPUBuffer | undefined;
  readonly #tables: TableStore;
  #scratch: OwnedScratch | undefined;

  private constructor(
    device: GpuDevice,
    passes: ReadyPass[],
    params: GPUBuffer | undefined,
    tables: TableStore,
  ) {
    this.#device = device;
    this.#passes = passes;
    this.#params = params;
    this.#tables = tables;
  }

  /**
   * Compiles, uploads parameters and tables, makes the scratch that the dispatches do not bring, and binds.
   * @param onCompiled called after each pipeline, with the number done and the number of all
   * @throws GpuShaderError, GpuLimitError, GpuOutOfMemoryError, and GpuKernelShapeError for scratch that does not serve
   */
  static async create(
    device: GpuDevice,
    dispatches: readonly BoundDispatch[],
    onCompiled: (done: number, total: number) => void = () => {},
  ): Promise<DispatchProgram> {
    checkPlacement(dispatches);
    const plans = dispatches.map(({ plan }) => plan);
    const program = await DispatchProgram.prepare(device, plans, onCompiled);
    try {
      program.#scratch = await OwnedScratch.create(device, dispatches);
      await program.rebind(dispatches);
    } catch (error) {
      program.destroy();
      throw error;
    }
    return program;
  }

  /** As `create`, bound to nothing yet: for `encodeOver`, or `rebind` later, with scratch among the operands. */
  static async prepare(
    device: GpuDevice,
    plans: readonly DispatchPlan[],
    onCompiled: (done: number, total: number) => void = () => {},
  ): Promise<DispatchProgram> {
    const listed = plans.flatMap((plan, dispatch) =>
      plan.passes.filter((pass) => !pass.workgroups.includes(0)).map((pass) => ({ pass, dispatch })),
    );
    for (const { pass } of listed) checkPass(device, pass);
    const pipelines = await compileAll(device, listed, onCompiled);
    const tables = await TableStore.create(device, plans);
    const { buffer, offsets } = await uploadParams(
      device,
      listed.map((entry) => entry.pass),
    );
    const passes = listed.map((entry, index) => ({
      ...entry,
      pipeline: pipelines[index] as GPUComputePipeline,
      paramsOffset: offsets[index] ?? 0,
      bindGroup: undefined,
    }));
    return new DispatchProgram(device, passes, buffer, tables);
  }

  /** The passes in encoding order; empty dispatches are left out. */
  get passes(): readonly ProgramPass[] {
    return this.#passes;
  }

  /** Makes the bind groups anew after operands moved; `dispatches` are the same plans in the same order. */
  async rebind(dispatches: readonly BoundDispatch[]): Promise<void> {
    checkPlacement(dispatches);
    await this.#device.guard('DispatchProgram', () => {
      for (const entry of this.#passes) entry.bindGroup = this.#bind(entry, dispatches);
    });
  }

  /** Encodes every dispatch, or those of a part, into one compute pass. */
  encode(encoder: GPUCommandEncoder, part: ProgramPart = {}): void {
    this.#encode(encoder, (entry) => entry.bindGroup, part);
  }

  /**
   * Encodes over these operands and leaves what the program is bound to as it is; `dispatches` are the same plans in
   * the same order. Makes a bind group a pass.
   */
  encodeOver(encoder: GPUCommandEncoder, dispatches: readonly BoundDispatch[]): void {
    checkPlacement(dispatches);
    this.#encode(encoder, (entry) => this.#bind(entry, dispatches));
  }

  #encode(
    encoder: GPUCommandEncoder,
    bindGroupOf: (entry: ReadyPass) => GPUBindGroup | undefined,
    { from = 0, to = this.#passes.length, timestampWrites }: ProgramPart = {},
  ): void {
    const computePass = encoder.beginComputePass(timestampWrites === undefined ? {} : { timestampWrites });
    dispatchAll(computePass, this.#passes.slice(from, to), bindGroupOf);
    computePass.end();
  }

  /**
   * Encodes the dispatches into timed compute passes.
   * @param ends of each pass, the position behind its last dispatch; by default every dispatch has its own
   */
  encodeTimed(
    encoder: GPUCommandEncoder,
    recorder: TimestampRecorder,
    ends: readonly number[] = this.#passes.map((_, index) => index + 1),
  ): void {
    let next = 0;
    recorder.encodeBegin(encoder);
    ends.forEach((end, index) => {
      const computePass = encoder.beginComputePass({ timestampWrites: recorder.writes(index) });
      dispatchAll(computePass, this.#passes.slice(next, end), (entry) => entry.bindGroup);
      computePass.end();
      next = end;
    });
  }

  destroy(): void {
    if (this.#params !== undefined) this.#device.destroyBuffer(this.#params);
    this.#tables.destroy();
    this.#scratch?.destroy();
  }

  #bind(entry: ReadyPass, dispatches: readonly BoundDispatch[]): GPUBindGroup {
    const { pass, dispatch } = entry;
    const operands = dispatches[dispatch]?.operands ?? {};
    const entries: GPUBindGroupEntry[] = pass.bindings.map((binding, index) => {
      const { operand } = binding;
      const given = this.#tables.find(dispatch, operand) ?? operands[operand];
      const range = given ?? this.#scratch?.find(dispatch, operand);
      if (range === undefined) {
        throw new GpuValidationError('an operand of the pass has no memory', {
          subject: pass.label,
          field: binding.operand,
          got: Object.keys(operands).join(', '),
        });
      }
      checkBinding(this.#device, pass, binding.operand, range);
      return {
        binding: index,
        resource: {
          buffer: range.buffer,
          offset: range.byteOffset,
          size: Math.max(4, alignUp(rangeBytes(range), 16)),
        },
      };
    });
    if (pass.params !== undefined && this.#params !== undefined) {
      entries.push({
        binding: entries.length,
        resource: { buffer: this.#params, offset: entry.paramsOffset, size: pass.params.byteLength },
      });
    }
    return this.#device.raw.createBindGroup({
      label: pass.label,
      layout: this.#device.pipelines.layout(pass),
      entries,
    });
  }
}

function checkPlacement(dispatches: readonly BoundDispatch[]): void {
  for (const { plan, operands, placement } of dispatches) {
    if (placement !== 'planned') checkScratch(plan, operands);
  }
}

function dispatchAll(
  computePass: GPUComputePassEncoder,
  passes: readonly ReadyPass[],
  bindGroupOf: (entry: ReadyPass) => GPUBindGroup | undefined,
): void {
  let current: GPUComputePipeline | undefined;
  for (const entry of passes) {
    if (entry.pipeline !== current) computePass.setPipeline(entry.pipeline);
    current = entry.pipeline;
    computePass.setBindGroup(0, bindGroupOf(entry));
    const [x, y, z] = entry.pass.workgroups;
    if (y === 1 && z === 1) computePass.dispatchWorkgroups(x);
    else computePass.dispatchWorkgroups(x, y, z);
  }
}

/** Longest text first: what the driver takes longest for must not be what it begins last. */
async function compileAll(
  device: GpuDevice,
  passes: readonly ProgramPass[],
  onCompiled: (done: number, total: number) => void,
): Promise<GPUComputePipeline[]> {
  const byLength = [...passes].sort((a, b) => b.pass.wgsl.length - a.pass.wgsl.length);
  const asked = new Map(byLength.map((entry) => [entry, device.pipelines.get(entry.pass)]));
  let done = 0;
  return Promise.all(
    passes.map(async (entry) => {
      const pipeline = await (asked.get(entry) as Promise<GPUComputePipeline>);
      onCompiled(++done, passes.length);
      return pipeline;
    }),
  );
}

async function uploadParams(
  device: GpuDevice,
  passes: readonly DispatchPass[],
): Promise<{ buffer: GPUBuffer | undefined; offsets: number[] }> {
  const alignment = device.capabilities.limits.minUniformBufferOffsetAlignment;
  let size = 0;
  const offsets = passes.map(({ params }) => {
    const offset = size;
    if (params !== undefined) size += alignUp(params.byteLength, alignment);
    return offset;
  });
  if (size === 0) return { buffer: undefined, offsets };
  const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
  const buffer = await device.createBuffer({ label: 'parameters', size, usage });
  const words = new Uint32Array(size / 4);
  passes.forEach(({ params }, index) => {
    if (params !== undefined) words.set(params, (offsets[index] ?? 0) / 4);
  });
  device.raw.queue.writeBuffer(buffer, 0, words);
  return { buffer, offsets };
}

function checkPass(device: GpuDevice, pass: DispatchPass): void {
  const { limits } = device.capabilities;
  const largest = Math.max(...pass.workgroups);
  if (largest > limits.maxComputeWorkgroupsPerDimension) {
    throw new GpuLimitError('the grid has too many workgroups in one dimension', {
      subject: pass.label,
      field: 'maxComputeWorkgroupsPerDimension',
      got: pass.workgroups.join(' x '),
      expected: `at most ${limits.maxComputeWorkgroupsPerDimension} each`,
    });
  }
  if (pass.bindings.length > limits.maxStorageBuffersPerShaderStage) {
    throw new GpuLimitError('the kernel binds too many buffers', {
      subject: pass.label,
      field: 'maxStorageBuffersPerShaderStage',
      got: String(pass.bindings.length),
      expected: `at most ${limits.maxStorageBuffersPerShaderStage}`,
    });
  }
}

function checkBinding(device: GpuDevice, pass: DispatchPass, operand: string, range: GpuBuffer): void {
  const limit = device.capabilities.limits.maxStorageBufferBindingSize;
  if (rangeBytes(range) <= limit) return;
  throw new GpuLimitError('a tensor is larger than one binding may be', {
    subject: pass.label,
    field: `${operand} (maxStorageBufferBindingSize)`,
    got: `${rangeBytes(range)} bytes`,
    expected: `at most ${limit}`,
    remedy: 'Use a smaller input or batch.',
  });
}

/** The tables of all plans of a program in one buffer. */
class TableStore {
  readonly #device: GpuDevice;
  readonly #buffer: GPUBuffer | undefined;
  readonly #ranges: ReadonlyMap<string, GpuBuffer>;

  private constructor(
    device: GpuDevice,
    buffer: GPUBuffer | undefined,
    ranges: ReadonlyMap<string, GpuBuffer>,
  ) {
    this.#device = device;
    this.#buffer = buffer;
    this.#ranges = ranges;
  }

  static async create(device: GpuDevice, plans: readonly DispatchPlan[]): Promise<TableStore> {
    const alignment = device.capabilities.limits.minStorageBufferOffsetAlignment;
    const placed = plans.flatMap((plan, dispatch) =>
      plan.tables.map((table) => ({ dispatch, table, offset: 0 })),
    );
    let size = 0;
    for (const entry of placed) {
      entry.offset = size;
      size += alignUp(Math.max(16, entry.table.data.byteLength), alignment);
    }
    if (size === 0) return new TableStore(device, undefined, new Map());
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    const buffer = await device.createBuffer({ label: 'tables', size, usage });
    const ranges = new Map<string, GpuBuffer>();
    for (const { dispatch, table, offset } of placed) {
      if (table.data.byteLength > 0) device.raw.queue.writeBuffer(buffer, offset, table.data as BufferSource);
      const range = { buffer, type: 'uint32', byteOffset: offset, length: table.data.length } as const;
      ranges.set(`${dispatch}:${table.operand}`, range);
    }
    return new TableStore(device, buffer, ranges);
  }

  find(dispatch: number, operand: string): GpuBuffer | undefined {
    return this.#ranges.get(`${dispatch}:${operand}`);
  }

  destroy(): void {
    if (this.#buffer !== undefined) this.#device.destroyBuffer(this.#buffer);
  }
}
