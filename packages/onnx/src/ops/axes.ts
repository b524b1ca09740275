/** Axis arithmetic that operators share: negative axes count from the end, and lists of axes must not repeat. */
import { misfit, resolveAxis } from '@onegpu/kernels/core';

/**
 * Axes as 0 .. rank - 1, in the order given.
 * @throws GpuKernelShapeError for an axis out of range or there twice.
 */
export function normalizeAxes(operator: string, axes: readonly number[], rank: number): readonly number[] {
  const normalized = axes.map((axis) => resolveAxis(operator, axis, rank));
  if (new Set(normalized).size === normalized.length) return normalized;
  throw misfit(operator, 'axes', axes, 'each axis once');
}
