/** The slots of a session's runs: one belongs to one run at a time, and waits with its next commands for the next. */
import type { GpuDevice } from '@onegpu/core';
import type { PreparedPlan } from './prepared-plan.ts';
import { RunSlot } from './run-slot.ts';

/** Slots that wait, of all plans; the one that waited longest is recycled. */
const KEPT_SLOTS = 4;

export class RunSlots {
  readonly #device: GpuDevice;
  readonly #gpuOutputs: ReadonlySet<string>;
  /** The one used last at the end. */
  readonly #idle: RunSlot[] = [];

  /** @param gpuOutputs names of the outputs that are not read back */
  constructor(device: GpuDevice, gpuOutputs: ReadonlySet<string>) {
    this.#device = device;
    this.#gpuOutputs = gpuOutputs;
  }

  /**
   * A slot for a run of this plan, with the names of the inputs that are not fed from the host.
   * @throws GpuLimitError, GpuOutOfMemoryError, GpuDeviceLostError
   */
  async acquire(plan: PreparedPlan, gpuInputs: readonly string[]): Promise<RunSlot> {
    const index = this.#idle.findLastIndex((slot) => slot.plan === plan && slot.stages.matches(gpuInputs));
    const [slot] = index < 0 ? [] : this.#idle.splice(index, 1);
    return slot ?? RunSlot.create(this.#device, plan, { gpuInputs, gpuOutputs: this.#gpuOutputs });
  }

  /** Takes back a slot whose run is over; that of a run that failed is destroyed instead. */
  release(slot: RunSlot): void {
    this.#idle.push(slot);
    if (this.#idle.length <= KEPT_SLOTS) return;
    const oldest = this.#idle.shift();
    oldest?.recycle();
  }

  /** Frees the slots that wait, of one plan or of all. */
  clear(plan?: PreparedPlan): void {
    const all = this.#idle.splice(0);
    for (const slot of all) {
      if (plan === undefined || slot.plan === plan) slot.destroy();
      else this.#idle.push(slot);
    }
  }
}
