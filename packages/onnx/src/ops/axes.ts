/** Axis arithmetic that operators share: negative axes count from the end, and lists of axes must not repeat. */
import { GpuKernelShapeError } from '@onegpu/core';

/**
 * An axis as 0 .. rank - 1.
 * @throws GpuKernelShapeError outside -rank .. rank - 1.
 */
export function normalizeAxis(operator: string, axis: number, rank: number): number {
  const positive = axis < 0 ? axis + rank : axis;
  if (Number.isInteger(positive) && positive >= 0 && positive < rank) return positive;
  throw new GpuKernelShapeError('the axis is out of range', {
    subject: operator,
    field: 'axis',
    got: String(axis),
    expected: `-${rank} to ${rank - 1}`,
  });
}

/**
 * Axes as 0 .. rank - 1, in the order given.
 * @throws GpuKernelShapeError for an axis out of range or there twice.
 */
export function normalizeAxes(operator: string, axes: readonly number[], rank: number): readonly number[] {
  const normalized = axes.map((axis) => normalizeAxis(operator, axis, rank));
  if (new Set(normalized).size === normalized.length) return normalized;
  throw new GpuKernelShapeError('an axis is there twice', {
    subject: operator,
    field: 'axes',
    got: `[${axes.join(', ')}]`,
  });
}
