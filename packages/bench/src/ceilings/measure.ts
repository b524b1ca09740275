/**
 * The measurements behind `adapterCeilings`. Every kernel runs several times and its best time counts: a ceiling is
 * what the adapter can do, and everything that disturbs a run only makes it slower. What a kernel leaves in memory is
 * compared with what it must leave there, so that work which was optimised away is an error and no fine figure.
 */
import { type DispatchPass, type GpuDevice, GpuOutOfMemoryError, type GpuTimer } from '@onegpu/core';

import { type CopySpec, copyWgsl, fillWgsl, fillWord } from './copy.wgsl.ts';
import { COUNT_DISPATCHES_WGSL } from './count-dispatches.wgsl.ts';
import { GpuLoad, type LoadSpec } from './load.ts';
import { type MultiplyAddSpec, multiplyAddResult, multiplyAddWgsl } from './multiply-add.wgsl.ts';

/** What one kernel achieved. */
export interface CeilingRate {
  /** `copy/u32x4/4`, `multiply-add/f32x4/8`, `dispatch`. */
  readonly label: string;
  /** Bytes, floating-point operations or dispatches a millisecond. */
  readonly perMs: number;
}

/** One kernel to time. */
export interface CeilingTask {
  readonly label: string;
  /** Bytes moved, floating-point operations or dispatches of one run. */
  readonly amount: number;
  readonly load: LoadSpec;
  /** @throws CeilingError when the memory does not hold what the kernel must have written */
  check(load: GpuLoad, runs: number): Promise<void>;
}

/** A kernel of the ceilings did not do its work. */
export class CeilingError extends Error {
  override readonly name = 'CeilingError';
}

/** How long one timing should take at least, so that the cost of starting it does not show. */
const TIMING_MS = 10;
const BUDGET_MS = 150;
/** Load of the kernel's own before its timings. */
const WAKE_MS = 60;
const MOST_ROUNDS = 10;
const MOST_REPEATS = 256;

/** Best rate of a kernel within about `BUDGET_MS`. */
export async function measureRate(
  device: GpuDevice,
  timer: GpuTimer,
  task: CeilingTask,
): Promise<CeilingRate> {
  const load = await GpuLoad.create(device, task.load);
  try {
    const run = (repeats: number): Promise<number> =>
      timer.time((encoder) => {
        for (let repeat = 0; repeat < repeats; repeat++) load.encode(encoder);
      });
    // The first run touches fresh memory.
    const probes = [await run(1), await run(1)];
    const single = Math.max(1e-3, Math.min(...probes));
    const repeats = Math.min(MOST_REPEATS, Math.max(1, Math.ceil(TIMING_MS / single)));
    const rounds = Math.min(MOST_ROUNDS, Math.max(1, Math.floor(BUDGET_MS / (single * repeats))));
    let runs = probes.length + rounds * repeats;
    // Compiling and filling let a GPU fall asleep.
    const begin = performance.now();
    while (!device.capabilities.software && performance.now() - begin < WAKE_MS) {
      await run(repeats);
      runs += repeats;
    }
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push((await run(repeats)) / repeats);
    await task.check(load, runs);
    const best = Math.min(...times.filter((time) => time > 0));
    if (!Number.isFinite(best)) throw new CeilingError(`${task.label}: the clock shows no time`);
    return { label: task.label, perMs: task.amount / best };
  } finally {
    load.destroy();
  }
}

/** Keeps the adapter busy for about `milliseconds`: an idle GPU runs at a fraction of its clock. */
export async function warmUp(device: GpuDevice, timer: GpuTimer, milliseconds: number): Promise<void> {
  const load = await GpuLoad.create(
    device,
    multiplyAddTask(device, { type: 'f32', width: 4, chains: 4 }).load,
  );
  const begin = performance.now();
  while (performance.now() - begin < milliseconds) await timer.time((encoder) => load.encode(encoder));
  load.destroy();
}

const COPY_BYTES = 512 * 2 ** 20;
/** The caches of a CPU are smaller, and its memory is slower. */
const SOFTWARE_COPY_BYTES = 64 * 2 ** 20;
const LEAST_COPY_BYTES = 2 ** 22;
const COPY_WORKGROUP = 256;
const CHECKED_WORDS = 4096;

/** Copies between two buffers of a power of two bytes, the largest that fits. */
export async function measureCopy(
  device: GpuDevice,
  timer: GpuTimer,
  perInvocation: number,
): Promise<CeilingRate> {
  const { software, limits } = device.capabilities;
  const largest = Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);
  let bytes = software ? SOFTWARE_COPY_BYTES : COPY_BYTES;
  while (bytes > largest) bytes /= 2;
  for (;;) {
    try {
      return await measureRate(device, timer, copyTask({ workgroup: COPY_WORKGROUP, perInvocation }, bytes));
    } catch (error) {
      if (!(error instanceof GpuOutOfMemoryError) || bytes <= LEAST_COPY_BYTES) throw error;
      bytes /= 2;
    }
  }
}

/** @param bytes a power of two, at least `LEAST_COPY_BYTES` */
export function copyTask(spec: CopySpec, bytes: number): CeilingTask {
  const label = `copy/u32x4/${spec.perInvocation}`;
  const workgroups = bytes / (16 * spec.workgroup * spec.perInvocation);
  const x = Math.min(workgroups, 2 ** 15);
  const grid: DispatchPass['workgroups'] = [x, workgroups / x, 1];
  const src = { operand: 'src', access: 'read' } as const;
  const words = bytes / 4;
  return {
    label,
    amount: 2 * bytes,
    load: {
      pass: {
        ...{ label, wgsl: copyWgsl(spec), workgroups: grid },
        bindings: [src, { operand: 'dst', access: 'read_write' }],
      },
      repeats: 1,
      operands: { src: words, dst: words },
      prepare: {
        ...{ label: 'copy/fill', wgsl: fillWgsl(spec), workgroups: grid },
        bindings: [{ ...src, access: 'read_write' }],
      },
    },
    async check(load) {
      for (const first of [0, words - CHECKED_WORDS]) {
        const copied = new Uint32Array(await load.read('dst', first, CHECKED_WORDS));
        const wrong = copied.findIndex((word, index) => word !== fillWord(first + index));
        if (wrong >= 0) throw new CeilingError(`${label}: word ${first + wrong} was not copied`);
      }
    },
  };
}

const MULTIPLY_ADD_WORKGROUP = 64;

/** Enough invocations to fill the adapter, few enough that a software adapter ends within a tenth of a second. */
export function multiplyAddTask(
  device: GpuDevice,
  chains: Pick<MultiplyAddSpec, 'type' | 'width' | 'chains'>,
): CeilingTask {
  const { software } = device.capabilities;
  // A float16 counts exactly up to 2048.
  const spec: MultiplyAddSpec = {
    ...chains,
    workgroup: MULTIPLY_ADD_WORKGROUP,
    steps: software ? 256 : 1024,
  };
  const workgroups = software ? 64 : 8192;
  const invocations = workgroups * MULTIPLY_ADD_WORKGROUP;
  const { type, width, steps } = spec;
  const label = `multiply-add/${type}${width === 4 ? 'x4' : ''}/${spec.chains}`;
  return {
    label,
    amount: 2 * invocations * width * spec.chains * steps,
    load: {
      pass: {
        ...{ label, wgsl: multiplyAddWgsl(spec), workgroups: [workgroups, 1, 1] },
        bindings: [
          { operand: 'src', access: 'read' },
          { operand: 'dst', access: 'read_write' },
        ],
      },
      repeats: 1,
      operands: { src: Float32Array.of(1, 1, 0, 0), dst: invocations * width },
    },
    async check(load) {
      const words = MULTIPLY_ADD_WORKGROUP * width;
      for (const first of [0, (workgroups - 1) * words]) {
        const sums = new Float32Array(await load.read('dst', first, words));
        const wrong = sums.findIndex((sum, i) => sum !== multiplyAddResult(spec, Math.floor(i / width)));
        if (wrong >= 0) throw new CeilingError(`${label}: element ${first + wrong} is ${sums[wrong]}`);
      }
    },
  };
}

/** Dispatches in one pass, each waiting for the one before. */
const DISPATCHES = 200;

export function dispatchTask(): CeilingTask {
  const label = 'dispatch';
  return {
    label,
    amount: DISPATCHES,
    load: {
      pass: {
        ...{ label, wgsl: COUNT_DISPATCHES_WGSL, workgroups: [1, 1, 1] },
        bindings: [{ operand: 'counter', access: 'read_write' }],
      },
      repeats: DISPATCHES,
      operands: { counter: new Uint32Array(4) },
    },
    async check(load, runs) {
      const [count = 0] = new Uint32Array(await load.read('counter', 0, 1));
      if (count !== runs * DISPATCHES)
        throw new CeilingError(`${label}: ${count} of ${runs * DISPATCHES} ran`);
    },
  };
}
