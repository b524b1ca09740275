/**
 * What an adapter can do at most, measured on it: copying memory, multiply-adds in registers, and the cost of a
 * dispatch that waits for the one before it. Nothing of Node.js is in here: pages measure, too.
 */
import { describeAdapter, type GpuDevice, GpuTimer } from '@onegpu/core';
import type { Ceilings } from '@onegpu/onnx';
import {
  type CeilingRate,
  dispatchTask,
  measureCopy,
  measureRate,
  multiplyAddTask,
  warmUp,
} from './measure.ts';
import type { MultiplyAddSpec } from './multiply-add.wgsl.ts';

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
 * Takes about two seconds.
 * @throws GpuDeviceLostError, GpuOutOfMemoryError, CeilingError when a kernel did not do its work
 */
export async function measureCeilings(
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
