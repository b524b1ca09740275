/**
 * An execution plan ready to run: memory planned over the session's arenas, constants uploaded, pipelines compiled,
 * bind groups made. Running it creates nothing on the GPU.
 */
import {
  type BoundDispatch,
  DispatchProgram,
  type GpuBuffer,
  type GpuDevice,
  rangeBytes,
} from '@onegpu/core';
import type { ArenaSet } from './arena-set.ts';
import { ConstantStore } from './constant-store.ts';
import type { ExecutionPlan, ExecutionStep, StepOperand } from './execution-plan.ts';
import type { ShapeInference } from './infer-shapes.ts';
import { type MemoryPlan, planMemory } from './memory-plan.ts';
import { memoryRequest, scratchTensor } from './memory-request.ts';
import { checkStorageSizes } from './size-limits.ts';
import type { StoredConstant, StoredTensor } from './stored-tensors.ts';

export interface PreparedResources {
  readonly device: GpuDevice;
  readonly arenas: ArenaSet;
  /** The session's constants, shared by all its plans. */
  readonly constants: ConstantStore;
}

export interface PlannedRun {
  readonly execution: ExecutionPlan;
  readonly inferred: ShapeInference;
}

export interface PrepareProgress {
  readonly onCompiled: (done: number, total: number) => void;
  readonly onUploaded: (done: number, total: number) => void;
}

export class PreparedPlan {
  readonly execution: ExecutionPlan;
  readonly inferred: ShapeInference;
  readonly memory: MemoryPlan;
  readonly #resources: PreparedResources;
  readonly #planConstants: ConstantStore;
  #program: DispatchProgram | undefined;
  #generation = -1;

  private constructor(resources: PreparedResources, plan: PlannedRun) {
    this.#resources = resources;
    this.execution = plan.execution;
    this.inferred = plan.inferred;
    const { limits } = resources.device.capabilities;
    const request = memoryRequest(plan.execution, limits.minStorageBufferOffsetAlignment);
    this.memory = planMemory({ ...request, arenaLimit: limits.maxBufferSize });
    this.#planConstants = new ConstantStore(resources.device, 'shape constants');
  }

  /** @throws GpuShaderError, GpuLimitError, GpuOutOfMemoryError, GpuDeviceLostError */
  static async create(
    resources: PreparedResources,
    plan: PlannedRun,
    progress: PrepareProgress,
  ): Promise<PreparedPlan> {
    const { device } = resources;
    checkStorageSizes(plan.execution, device.capabilities.limits);
    // Compiling starts first and goes on in threads of the device's own while memory is planned, and weights are
    // packed and uploaded.
    const plans = plan.execution.steps.map((step) => step.plan);
    const compiling = DispatchProgram.prepare(device, plans, progress.onCompiled);
    compiling.catch(() => {}); // Awaited below; until then its failure is nobody's unhandled one.
    let prepared: PreparedPlan | undefined;
    try {
      prepared = new PreparedPlan(resources, plan);
      await prepared.#upload(progress);
      prepared.#program = await compiling;
      await prepared.rebind();
      return prepared;
    } catch (error) {
      prepared?.destroy();
      await compiling.then(
        (program) => program.destroy(),
        () => {},
      );
      throw error;
    }
  }

  get program(): DispatchProgram {
    if (this.#program === undefined) throw new Error('the plan is not prepared');
    return this.#program;
  }

  /** False after another plan replaced an arena: `rebind` before encoding. */
  get isBound(): boolean {
    return this.#generation === this.#resources.arenas.generation;
  }

  /** Which arenas the plan is bound to; commands encoded under another number name buffers that are gone. */
  get generation(): number {
    return this.#generation;
  }

  async rebind(): Promise<void> {
    const { generation } = this.#resources.arenas;
    await this.program.rebind(this.#bindings());
    this.#generation = generation;
  }

  /** The range of an arena that holds a tensor. */
  range(tensor: StoredTensor): GpuBuffer {
    const place = this.memory.placements.get(tensor.id);
    if (place === undefined) throw new Error(`tensor ${tensor.id} has no place`);
    return this.#resources.arenas.at(place.arena).range(place.offset, tensor.elements, tensor.type);
  }

  /** Bytes on the GPU of the constants this plan reads, each counted once. */
  get constantBytes(): number {
    const ranges = new Set(
      this.execution.steps.flatMap(constantsOf).map((constant) => this.#resolve({ constant })),
    );
    return [...ranges].reduce((sum, range) => sum + rangeBytes(range), 0);
  }

  destroy(): void {
    this.#program?.destroy();
    this.#planConstants.destroy();
  }

  /** Arenas and constants. */
  async #upload(progress: PrepareProgress): Promise<void> {
    const { arenas, constants } = this.#resources;
    const all = this.execution.steps.flatMap((step) => constantsOf(step));
    await arenas.ensure(this.memory.arenaBytes);
    await constants.ensure(
      all.filter((constant) => constant.scope === 'model'),
      progress.onUploaded,
    );
    await this.#planConstants.ensure(all.filter((constant) => constant.scope === 'plan'));
  }

  #bindings(): BoundDispatch[] {
    return this.execution.steps.map((step, index) => {
      const operands = Object.fromEntries(
        Object.entries(step.operands).map(([name, operand]) => [name, this.#resolve(operand)]),
      );
      for (const scratch of step.plan.scratch) {
        operands[scratch.operand] = this.range(scratchTensor(index, scratch.operand, scratch.bytes));
      }
      return { plan: step.plan, operands, placement: 'planned' };
    });
  }

  #resolve(operand: StepOperand): GpuBuffer {
    if ('tensor' in operand) return this.range(operand.tensor);
    const { scope, key } = operand.constant;
    const store = scope === 'model' ? this.#resources.constants : this.#planConstants;
    const range = store.get(key);
    if (range === undefined) throw new Error(`constant ${key} was not uploaded`);
    return range;
  }
}

function constantsOf(step: ExecutionStep): StoredConstant[] {
  return Object.values(step.operands).flatMap((operand) => ('constant' in operand ? [operand.constant] : []));
}
