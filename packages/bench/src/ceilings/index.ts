/**
 * What an adapter can do at most, measured on it: copying memory, multiply-adds in registers, and the cost of a
 * dispatch that waits for the one before it. A profile's rows are compared with these. Measured once for an adapter,
 * a driver and a version of the kernels, and kept in the user's cache folder.
 */
import { createHash } from 'node:crypto';
import { describeAdapter, type GpuDevice, GpuTimer, readCached, writeCached } from '@onegpu/core';
import type { Ceilings } from '@onegpu/onnx';
import { packageVersion } from '../environment.ts';

import { copyWgsl } from './copy.wgsl.ts';
import {
  type CeilingRate,
  dispatchTask,
  measureCopy,
  measureRate,
  multiplyAddTask,
  warmUp,
} from './measure.ts';
import { type MultiplyAddSpec, multiplyAddWgsl } from './multiply-add.wgsl.ts';

export { CeilingError } from './measure.ts';
export type { Ceilings };

export interface CeilingsOptions {
  /** Measures again, whatever the cache holds. */
  readonly refresh?: boolean;
  /** Called before each kernel: `done` of `total` have run. Never called where the cache answers. */
  readonly onProgress?: (progress: CeilingsProgress) => void;
}

export interface CeilingsProgress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

/** Load before the first timing, in milliseconds; an idle GPU may run at a sixth of its clock. */
const WARM_UP_MS = 250;

const COPY_VARIANTS = [1, 4];
const CHAIN_VARIANTS: readonly Pick<MultiplyAddSpec, 'width' | 'chains'>[] = [
  { width: 1, chains: 8 },
  { width: 1, chains: 16 },
  { width: 4, chains: 4 },
  { width: 4, chains: 8 },
];

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

async function measureCeilings(
  device: GpuDevice,
  onProgress: (progress: CeilingsProgress) => void,
): Promise<Ceilings> {
  const timer = await GpuTimer.create(device);
  const { software, float16, description } = device.capabilities;
  const total = COPY_VARIANTS.length + CHAIN_VARIANTS.length * (float16 ? 2 : 1) + 1;
  let done = 0;
  const best = async (label: string, runs: readonly (() => Promise<CeilingRate>)[]): Promise<number> => {
    let most = 0;
    for (const run of runs) {
      onProgress({ label, done: done++, total });
      most = Math.max(most, (await run()).perMs);
    }
    return most;
  };
  const multiplyAdds = (type: 'f32' | 'f16'): Promise<number> =>
    best(
      `${type} multiply-adds`,
      CHAIN_VARIANTS.map(
        (chains) => () => measureRate(device, timer, multiplyAddTask(device, { type, ...chains })),
      ),
    );
  try {
    if (!software) await warmUp(device, timer, WARM_UP_MS);
    const f32 = await multiplyAdds('f32');
    const f16 = float16 ? await multiplyAdds('f16') : undefined;
    const copy = await best(
      'copy',
      COPY_VARIANTS.map((perInvocation) => () => measureCopy(device, timer, perInvocation)),
    );
    const dispatches = await best('dispatches', [() => measureRate(device, timer, dispatchTask())]);
    return {
      adapter: describeAdapter(device.capabilities),
      driver: description,
      copyGbps: copy / 1e6,
      f32Gflops: f32 / 1e6,
      ...(f16 === undefined ? {} : { f16Gflops: f16 / 1e6 }),
      dispatchUs: 1e3 / dispatches,
      measuredAt: new Date().toISOString(),
    };
  } finally {
    timer.destroy();
  }
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
