/**
 * The end of kernels that compute integers one by one: bytes are stored four at a time, as one whole word, so that no
 * atomics are needed; 16-bit and 32-bit integers one at a time.
 */
import type { GpuCapabilities } from '@onegpu/core';
import { elementwiseMain, elementwiseWorkgroups, itemsPerInvocation } from './elementwise.ts';

export type StoreWidth = 1 | 4;

export function storeWidth(type: string): StoreWidth {
  return type.endsWith('8') ? 4 : 1;
}

/** WGSL element of `dst`. */
export function storedElement(width: StoreWidth): 'i32' | 'vec4i' {
  return width === 4 ? 'vec4i' : 'i32';
}

/** `params.count` of the kernel for `total` elements. */
export function storedCount(total: number, width: StoreWidth): number {
  return Math.ceil(total / width);
}

export function storedWorkgroups(
  total: number,
  width: StoreWidth,
  target: GpuCapabilities,
): readonly [number, number, number] {
  return elementwiseWorkgroups(storedCount(total, width), target);
}

/** `main` that stores `element(index)` of every index below `params.total` in `dst`; a last word is filled up. */
export function storingMain(width: StoreWidth, target: GpuCapabilities): string {
  const items = itemsPerInvocation(target);
  if (width === 1) return elementwiseMain(items, 'dst[position] = element(position);');
  return elementwiseMain(
    items,
    `let last = params.total - 1u;
      let base = 4u * position;
      dst[position] = vec4i(
        element(base),
        element(min(base + 1u, last)),
        element(min(base + 2u, last)),
        element(min(base + 3u, last)),
      );`,
  );
}
