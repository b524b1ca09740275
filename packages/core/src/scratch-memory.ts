/**
 * Scratch of dispatch plans: given by the caller as an operand of its name, or owned by the program where the caller
 * gives none. What is given must hold the plan's bytes and share none of them with another operand, since the plan
 * writes it while the others are still read.
 */
import type { DispatchPlan, ScratchSpec } from './dispatch-plan.ts';
import { GpuKernelShapeError } from './errors.ts';
import { alignUp, type GpuBuffer, rangeBytes } from './gpu-buffer.ts';
import type { GpuDevice } from './gpu-device.ts';

type Operands = Readonly<Record<string, GpuBuffer>>;

/** @throws GpuKernelShapeError naming plan and operand, for scratch that is too small or overlaps another operand. */
export function checkScratch(plan: DispatchPlan, operands: Operands): void {
  for (const spec of plan.scratch) {
    const range = operands[spec.operand];
    if (range === undefined) continue;
    checkSize(plan, spec, range);
    for (const [operand, other] of Object.entries(operands)) {
      if (operand === spec.operand || !overlaps(range, other)) continue;
      throw new GpuKernelShapeError('scratch may not share memory with an operand', {
        subject: plan.label,
        field: spec.operand,
        got: `bytes ${span(range)}, "${operand}" lies at ${span(other)} of the same buffer`,
        expected: 'ranges that do not overlap',
        remedy: 'Give scratch a range or a buffer of its own.',
      });
    }
  }
}

function checkSize(plan: DispatchPlan, { operand, bytes }: ScratchSpec, range: GpuBuffer): void {
  if (rangeBytes(range) >= bytes) return;
  throw new GpuKernelShapeError('the scratch is too small', {
    subject: plan.label,
    field: operand,
    got: `${rangeBytes(range)} bytes`,
    expected: `at least ${bytes}`,
    remedy: 'Give more, or plan with the option scratchBytes.',
  });
}

function overlaps(a: GpuBuffer, b: GpuBuffer): boolean {
  const apart = endOf(a) <= b.byteOffset || endOf(b) <= a.byteOffset;
  return a.buffer === b.buffer && !apart && rangeBytes(a) > 0 && rangeBytes(b) > 0;
}

function endOf(range: GpuBuffer): number {
  return range.byteOffset + rangeBytes(range);
}

function span(range: GpuBuffer): string {
  return `${range.byteOffset} to ${endOf(range)}`;
}

/**
 * Scratch that the callers of a program did not give. Plans run one after the other, so they share it; the scratch
 * operands of one plan have a buffer each, since a dispatch may read one and write another.
 */
export class OwnedScratch {
  readonly #device: GpuDevice;
  /** By position among a plan's scratch. */
  readonly #buffers: GPUBuffer[] = [];
  readonly #ranges = new Map<string, GpuBuffer>();

  private constructor(device: GpuDevice) {
    this.#device = device;
  }

  /** @throws GpuLimitError, GpuOutOfMemoryError */
  static async create(
    device: GpuDevice,
    dispatches: readonly { readonly plan: DispatchPlan; readonly operands: Operands }[],
  ): Promise<OwnedScratch> {
    const owned = new OwnedScratch(device);
    const missing = dispatches.map(({ plan, operands }) =>
      plan.scratch.filter(({ operand }) => operands[operand] === undefined),
    );
    const most = Math.max(0, ...missing.map(({ length }) => length));
    try {
      for (let position = 0; position < most; position++) {
        await owned.#place(missing.map((specs) => specs[position]));
      }
    } catch (error) {
      owned.destroy();
      throw error;
    }
    return owned;
  }

  /** Scratch of the plan at position `dispatch`; undefined where the caller gave it. */
  find(dispatch: number, operand: string): GpuBuffer | undefined {
    return this.#ranges.get(`${dispatch}:${operand}`);
  }

  destroy(): void {
    for (const buffer of this.#buffers.splice(0)) this.#device.destroyBuffer(buffer);
  }

  /** One buffer for the scratch at one position of every plan that has so many. */
  async #place(specs: readonly (ScratchSpec | undefined)[]): Promise<void> {
    const size = specs.reduce((most, spec) => Math.max(most, alignUp(spec?.bytes ?? 0, 16)), 16);
    const usage = GPUBufferUsage.STORAGE;
    const buffer = await this.#device.createBuffer({ label: 'scratch', size, usage });
    this.#buffers.push(buffer);
    for (const [dispatch, spec] of specs.entries()) {
      if (spec === undefined) continue;
      const length = Math.ceil(spec.bytes / 4);
      const range = { buffer, type: 'uint32', byteOffset: 0, length } as const;
      this.#ranges.set(`${dispatch}:${spec.operand}`, range);
    }
  }
}
