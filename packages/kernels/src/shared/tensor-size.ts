/**
 * Extents that kernels can count: they number the elements of a tensor in u32 and step through an axis in i32.
 */
import { misfit } from './misfit.ts';

const MOST_ELEMENTS = 2 ** 32;
const MOST_POSITIONS = 2 ** 31;

/**
 * Zero extents are legal: a tensor without elements.
 * @throws GpuKernelShapeError with the operator and the operand's name for an extent that is no whole number from 0 to
 *   2^31 - 1, and for a tensor of 2^32 elements or more, its second extent padded to whole vec4.
 */
export function requireTensor(subject: string, field: string, dims: readonly number[]): void {
  const wrong = dims.find(
    (extent) => !Number.isSafeInteger(extent) || extent < 0 || extent >= MOST_POSITIONS,
  );
  if (wrong !== undefined) {
    throw misfit(subject, field, dims, 'whole numbers from 0 to 2^31 - 1');
  }
  const elements = dims.reduce(
    (product, extent, axis) => product * (axis === 1 ? Math.ceil(extent / 4) * 4 : extent),
    1,
  );
  if (elements < MOST_ELEMENTS) return;
  throw misfit(subject, field, `[${dims.join(', ')}], ${elements} elements`, 'fewer than 2^32');
}

/** @throws GpuKernelShapeError for an infinity or a NaN, which WGSL cannot write. */
export function requireFinite(subject: string, field: string, value: number): void {
  if (Number.isFinite(value)) return;
  throw misfit(subject, field, value, 'a finite number');
}
