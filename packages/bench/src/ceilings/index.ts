/**
 * What an adapter can do at most; a profile's rows are compared with these. Measured once for an adapter, a driver and
 * a version of the kernels, and kept in the user's cache folder.
 */
import { createHash } from 'node:crypto';
import { type GpuDevice, readCached, writeCached } from '@onegpu/core';
import type { Ceilings } from '@onegpu/onnx';
import { packageVersion } from '../environment.ts';

import { copyWgsl } from './copy.wgsl.ts';
import { type CeilingsProgress, measureCeilings } from './measure-ceilings.ts';
import { multiplyAddWgsl } from './multiply-add.wgsl.ts';

export { CeilingError } from './measure.ts';
export type { Ceilings, CeilingsProgress };

export interface CeilingsOptions {
  /** Measures again, whatever the cache holds. */
  readonly refresh?: boolean;
  /** Called before each kernel: `done` of `total` have run. Never called where the cache answers. */
  readonly onProgress?: (progress: CeilingsProgress) => void;
}

/**
 * Takes about two seconds where the cache does not answer.
 * @throws GpuDeviceLostError, GpuOutOfMemoryError, CeilingError when a kernel did not do its work
 */
export async function adapterCeilings(device: GpuDevice, options: CeilingsOptions = {}): Promise<Ceilings> {
  const name = `ceilings-${cacheKey(device)}.json`;
  if (options.refresh !== true) {
    const cached = await readCached(name);
    if (isCeilings(cached)) return cached;
  }
  const ceilings = await measureCeilings(device, options.onProgress ?? (() => undefined));
  await writeCached(name, ceilings);
  return ceilings;
}

/** Adapter, driver, versions and the text of the kernels: whatever may change the figures. */
function cacheKey({ raw: { adapterInfo }, capabilities }: GpuDevice): string {
  const { vendor, architecture, device, description } = adapterInfo;
  const facts = [
    ...[vendor, architecture, device, description],
    ...[capabilities.float16, capabilities.timestamps, process.platform, process.arch],
    ...[packageVersion('@onegpu/bench'), packageVersion('webgpu')],
    ...[multiplyAddWgsl({ type: 'f32', width: 4, chains: 8, steps: 1024, workgroup: 64 })],
    copyWgsl({ workgroup: 256, perInvocation: 4 }),
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}

function isCeilings(value: unknown): value is Ceilings {
  if (typeof value !== 'object' || value === null) return false;
  const { adapter, driver, measuredAt, ...figures } = value as Partial<Ceilings>;
  const { copyGbps, f32Gflops, f16Gflops = 1, dispatchUs } = figures;
  const isRate = (figure: unknown): boolean => typeof figure === 'number' && figure > 0 && figure < 1e12;
  return (
    [adapter, driver, measuredAt].every((text) => typeof text === 'string') &&
    [copyGbps, f32Gflops, f16Gflops, dispatchUs].every(isRate)
  );
}
