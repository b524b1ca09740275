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

/** Scratch that the callers of a program did not give: one buffer for all plans, which run one after the other. */
export class OwnedScratch {
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

  /** @throws GpuLimitError, GpuOutOfMemoryError */
  static async create(
    device: GpuDevice,
    dispatches: readonly { readonly plan: DispatchPlan; readonly operands: Operands }[],
  ): Promise<OwnedScratch> {
    const alignment = device.capabilities.limits.minStorageBufferOffsetAlignment;
    const placed: { key: string; byteOffset: number; bytes: number }[] = [];
    let size = 0;
    dispatches.forEach(({ plan, operands }, dispatch) => {
      let end = 0;
      for (const { operand, bytes } of plan.scratch) {
        if (operands[operand] !== undefined) continue;
        placed.push({ key: `${dispatch}:${operand}`, byteOffset: end, bytes });
        end += alignUp(Math.max(bytes, 16), alignment);
      }
      size = Math.max(size, end);
    });
    if (size === 0) return new OwnedScratch(device, undefined, new Map());
    const buffer = await device.createBuffer({ label: 'scratch', size, usage: GPUBufferUsage.STORAGE });
    const ranges = placed.map(({ key, byteOffset, bytes }) => {
      return [key, { buffer, type: 'uint32', byteOffset, length: Math.ceil(bytes / 4) } as const] as const;
    });
    return new OwnedScratch(device, buffer, new Map(ranges));
  }

  /** Scratch of the plan at position `dispatch`; undefined where the caller gave it. */
  find(dispatch: number, operand: string): GpuBuffer | undefined {
    return this.#ranges.get(`${dispatch}:${operand}`);
  }

  destroy(): void {
    if (this.#buffer !== undefined) this.#device.destroyBuffer(this.#buffer);
  }
}
