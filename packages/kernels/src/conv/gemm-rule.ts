/**
 * Which configuration an implicit GEMM takes: the time of each candidate is estimated and the least wins, in both
 * modes, from the problem and the limits of the device alone. A workgroup works alone on its tile:
 *
 *   time = LAUNCH + max(overhead * n + steps * max(alone, shared * n), megabytes * MEMORY) + what splitting costs
 *
 * with n the workgroups that the busiest multiprocessor gets and `steps` the tiles of k that one slice walks. The
 * constants (microseconds) are a fit on an NVIDIA H200 to what each choice adds to the time of its whole network (101
 * layers of five), and to what Winograd gains or loses there. docs/performance.md has the figures.
 */

import type { GpuCapabilities } from '@onegpu/core';
import { multiprocessors } from '../shared/multiprocessors.ts';
import { remembered } from '../shared/remembered.ts';
import { fitsDevice, type GemmConfiguration, type GemmTile, parseConfiguration } from './gemm-tile.ts';
import { type ConvProblem, convPixels, gemmQuads } from './problem.ts';

/** A dispatch that waits for the one before, its first loads and its last stores. */
export const LAUNCH = 3;
/** The second dispatch of split sums (2.3 alone, more between other kernels), and a megabyte of them written and read. */
const SPLIT_LAUNCH = 3;
const SPLIT_MEGABYTE = 0.119;
const MEMORY = 0.275;

interface TileCosts {
  /** A step where the multiprocessor is shared, of each workgroup there. */
  readonly shared: number;
  /** The least time of a step, however few workgroups there are. */
  readonly alone: number;
  /** Begin and end of a workgroup. */
  readonly overhead: number;
}

interface RatedTile {
  readonly tile: GemmTile;
  readonly costs: TileCosts;
}

const TILES = ratedTiles({
  '64x64x16/8x4': { shared: 0.47, alone: 0.924, overhead: 0.965 },
  '64x64x16/4x4': { shared: 0.494, alone: 1.092, overhead: 1.266 },
  '128x32x16/8x4': { shared: 0.54, alone: 0.873, overhead: 1.358 },
  '32x64x16/8x4s2': { shared: 0.494, alone: 0.827, overhead: 0.891 },
  '64x32x16/4x4s2': { shared: 0.623, alone: 0.803, overhead: 0.63 },
  '64x16x16/4x4': { shared: 0.181, alone: 0.823, overhead: 0.326 },
  '32x32x16/4x4s2': { shared: 0.328, alone: 0.825, overhead: 0.313 },
  '32x32x16/4x4s4': { shared: 0.576, alone: 0.737, overhead: 1.046 },
  '32x16x16/4x4s4': { shared: 0.304, alone: 0.706, overhead: 1.006 },
  '16x32x16/4x4s8': { shared: 0.857, alone: 0.176, overhead: 1.342 },
});

/** A software adapter compiles the large tiles for seconds, and takes an implicit GEMM only when it is forced. */
const SMALL_TILES = ratedTiles({
  '16x16x8/4x4': { shared: 1, alone: 1, overhead: 1 },
  '16x16x8/4x4s2': { shared: 1, alone: 1, overhead: 1 },
});

/** By names of configurations, read once. */
function ratedTiles(costs: Readonly<Record<string, TileCosts>>): readonly RatedTile[] {
  return Object.entries(costs).map(([name, entry]) => {
    const tile = parseConfiguration(name)?.tile;
    if (tile === undefined) throw new RangeError(`${name} is no configuration`);
    return { tile, costs: entry };
  });
}

const SPLITS = [1, 2, 4, 8, 16];
/** Fewest terms that a slice takes where a sum is split in more than two. */
const LEAST_TERMS = 64;

/** Every configuration that the device can run, the quickest first by estimate. */
export function configurationsFor(
  problem: ConvProblem,
  target: GpuCapabilities,
): readonly GemmConfiguration[] {
  return rankedConfigurations(problem, target).map(({ configuration }) => configuration);
}

export interface RankedConfiguration {
  readonly configuration: GemmConfiguration;
  /** Estimated microseconds. */
  readonly time: number;
}

/** The same with the estimates. */
export const rankedConfigurations = remembered(ranked);

function ranked(problem: ConvProblem, target: GpuCapabilities): readonly RankedConfiguration[] {
  const work = workOf(problem);
  const width = multiprocessors(target);
  const candidates: RankedConfiguration[] = [];
  for (const { tile, costs } of target.software ? SMALL_TILES : TILES) {
    if (!fitsDevice(tile, target.limits)) continue;
    for (const splits of SPLITS) {
      const configuration = { tile, splits };
      if (!mayTake(work, target, configuration)) continue;
      candidates.push({ configuration, time: estimate(work, configuration, { costs, width }) });
    }
  }
  return candidates.sort((a, b) => a.time - b.time);
}

/** What the estimates of all candidates read of a problem. */
interface GemmWork {
  readonly pixels: number;
  readonly oc: number;
  /** Of the sums as the kernel walks them. */
  readonly terms: number;
  /** Of source, dst and weights. */
  readonly megabytes: number;
}

function workOf(problem: ConvProblem): GemmWork {
  const { oc, ic, shortcut } = problem;
  const pixels = convPixels(problem);
  const terms = walkedTerms(problem);
  const channels = oc + ic + (shortcut?.ic ?? 0);
  const megabytes = (4 * (pixels * channels + oc * terms)) / 1e6;
  return { pixels, oc, terms, megabytes };
}

/** Terms of the sums as the kernel walks them. */
function walkedTerms(problem: ConvProblem): number {
  return 4 * (gemmQuads(problem) + Math.ceil((problem.shortcut?.ic ?? 0) / 4));
}

function mayTake(work: GemmWork, { limits }: GpuCapabilities, { tile, splits }: GemmConfiguration): boolean {
  if (splits === 1) return true;
  const longEnough = splits === 2 || work.terms / (splits * tile.slices) >= LEAST_TERMS;
  return longEnough && splitMegabytes(work, splits) * 1e6 <= limits.maxStorageBufferBindingSize;
}

function splitMegabytes({ pixels, oc }: GemmWork, splits: number): number {
  return (pixels * Math.ceil(oc / 4) * 16 * splits) / 1e6;
}

function estimate(
  work: GemmWork,
  { tile, splits }: GemmConfiguration,
  { costs, width }: { readonly costs: TileCosts; readonly width: number },
): number {
  const share = workgroups(work, tile, splits) / width;
  const shared = share <= 4 ? Math.ceil(share) : share + 0.5;
  const steps = Math.ceil(Math.ceil(work.terms / tile.tileK) / (tile.slices * splits));
  const step = Math.max(costs.alone, costs.shared * shared);
  const arithmetic = costs.overhead * shared + steps * step;
  const splitting = splits > 1 ? SPLIT_LAUNCH + SPLIT_MEGABYTE * 2 * splitMegabytes(work, splits) : 0;
  return LAUNCH + Math.max(arithmetic, work.megabytes * MEMORY) + splitting;
}

function workgroups({ pixels, oc }: GemmWork, tile: GemmTile, splits: number): number {
  return Math.ceil(pixels / tile.tileM) * Math.ceil(oc / tile.tileN) * splits;
}
