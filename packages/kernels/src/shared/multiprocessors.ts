import type { GpuCapabilities } from '@onegpu/core';

/** Estimated multiprocessors: WebGPU does not say, so the memory of a workgroup tells large GPUs from small ones. */
export function multiprocessors({ limits }: Pick<GpuCapabilities, 'limits'>): number {
  return limits.maxComputeWorkgroupStorageSize >= 49152 ? 132 : 32;
}
