import type { GpuCapabilities } from '@onegpu/core';

/** Reason against kernels of barriers, for `Algorithm.reject`; undefined where there is none. */
export function hardwareOnly({ software }: Pick<GpuCapabilities, 'software'>): string | undefined {
  return software ? 'barriers and workgroup memory are costly on a software adapter' : undefined;
}
