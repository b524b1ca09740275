/**
 * Every algorithm of a family over the channel counts that break kernels: 1 to 17 and both sides of 32 and 64. Pairs of
 * counts are chosen so that each occurs as input and as output channels. Operands are small integers, so all algorithms
 * must give the same bits; pictures are a few pixels, since a pipeline costs more than its run.
 *
 * Kernels of software adapters take channels as parameters: they run every pair in an ordinary test. Where channels are
 * compiled in, and the text is long, an ordinary test runs a few of the pairs. `npm run sweep -- channels` runs
 * three pairings instead of one, all of them with every algorithm, in every layout it takes, and where a hardware
 * adapter gets other WGSL in that form too.
 */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { integerFill, testDevice } from '@onegpu/testing';
import { describe, expect, test } from 'vitest';
import type { Algorithm } from '../../src/shared/algorithm.ts';
import { SWEEP_TIMEOUT, wholeSweep } from '../sweep.ts';

export const CHANNEL_COUNTS: readonly number[] = [
  ...Array.from({ length: 17 }, (_, index) => index + 1),
  ...[31, 32, 33, 63, 64, 65],
];

/** Input and output channels. */
export type ChannelPair = readonly [ic: number, oc: number];

/** Steps and starts of the walks through the output counts; the first alone in an ordinary test. */
const WALKS = [
  { step: 7, start: 3 },
  { step: 5, start: 11 },
  { step: 22, start: 22 },
];

/** Steps are prime to the 23 counts, so each walk pairs every count with another one. */
export function channelPairs(): readonly ChannelPair[] {
  const walks = wholeSweep() ? WALKS : WALKS.slice(0, 1);
  const count = CHANNEL_COUNTS.length;
  return walks.flatMap(({ step, start }) =>
    CHANNEL_COUNTS.map((ic, at) => [ic, CHANNEL_COUNTS[(at * step + start) % count] ?? 1] as const),
  );
}

/** As many output as input channels: depthwise kernels, pools and resizes. */
export const EQUAL_CHANNELS: readonly ChannelPair[] = CHANNEL_COUNTS.map((count) => [count, count]);

export const smallIntegers = (length: number, seed: number): Float32Array => integerFill(length, seed, -3, 3);

export interface ChannelFamily<Problem> {
  readonly name: string;
  readonly algorithms: readonly Algorithm<Problem>[];
  readonly pairs: readonly ChannelPair[];
  /** Problems of these channels; an algorithm runs the first that it can take, in a sweep all of them. */
  readonly problems: (ic: number, oc: number) => readonly Problem[];
  readonly check: (problem: Problem, plan: DispatchPlan) => Promise<void>;
  /** Every which pair an algorithm runs in an ordinary test, where each pair is a text that takes long to compile; 0: none. */
  readonly every?: Readonly<Record<string, number>>;
}

export function describeChannels<Problem>(family: ChannelFamily<Problem>): void {
  const { name, algorithms } = family;
  describe(`channels of ${name}`, () => {
    test.each(algorithms.map((entry) => [entry.name, entry] as const))(
      '%s',
      async (_, entry) => {
        await runAlgorithm(family, entry);
      },
      SWEEP_TIMEOUT,
    );
  });
}

async function runAlgorithm<Problem>(
  family: ChannelFamily<Problem>,
  entry: Algorithm<Problem>,
): Promise<void> {
  const { capabilities } = await testDevice();
  const whole = wholeSweep();
  for (const [ic, oc] of pairsOf(family, entry.name)) {
    const taken = family
      .problems(ic, oc)
      .filter((problem) => entry.impossible(problem, capabilities) === undefined);
    expect(taken.length, `problems of ${ic} to ${oc} channels`).toBeGreaterThan(0);
    for (const problem of whole ? taken : taken.slice(0, 1)) {
      for (const plan of plansOf(problem, entry, capabilities)) {
        await named(`${ic} to ${oc} channels, ${plan.label}`, () => family.check(problem, plan));
      }
    }
  }
}

/** Algorithms of a family begin at different pairs, so that together they run all. */
function pairsOf<Problem>(family: ChannelFamily<Problem>, algorithm: string): readonly ChannelPair[] {
  const { pairs, every = {}, algorithms } = family;
  const step = wholeSweep() ? 1 : (every[algorithm] ?? 1);
  const first = algorithms.findIndex(({ name }) => name === algorithm) % Math.max(step, 1);
  return pairs.filter((_, index) => step > 0 && index % step === first);
}

/** The adapter's plan; in a sweep also a hardware adapter's, where its kernels are other ones. */
function plansOf<Problem>(
  problem: Problem,
  entry: Algorithm<Problem>,
  capabilities: GpuCapabilities,
): readonly DispatchPlan[] {
  const options = { mode: 'deterministic' } as const;
  const plan = entry.plan(problem, capabilities, options);
  if (!wholeSweep()) return [plan];
  const hardware = entry.plan(
    problem,
    { ...capabilities, software: false, subgroupSize: undefined },
    options,
  );
  return textOf(plan) === textOf(hardware) ? [plan] : [plan, hardware];
}

function textOf({ passes }: DispatchPlan): string {
  return passes.map(({ wgsl }) => wgsl).join('\n');
}

/** Failures say which channels they are of. */
async function named(what: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
