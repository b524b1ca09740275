/**
 * How a reduction is cut into passes. A pass folds [outer, extent, inner] to [outer, slices, inner]; slice s takes
 * the terms s, s + slices, s + 2*slices, ... so that neighbouring invocations read neighbouring elements, and at
 * most MAX_TERMS of them. Passes follow one another until every group has one slice left.
 */
import type { GpuCapabilities } from '@onegpu/core';
import type { ReduceGroup } from './problem.ts';

/** Longest chain of terms in one slice: 16 blocks of 16. */
export const MAX_TERMS = 256;
/** A slice shorter than this costs more in the second pass than it gains in parallelism. */
const MIN_TERMS = 64;
/** Invocations that keep a large GPU busy; a software adapter gains nothing from more slices. */
const WANTED_INVOCATIONS = 8192;

export interface ReducePass {
  readonly outer: number;
  readonly extent: number;
  readonly inner: number;
  readonly slices: number;
  /** First pass over `src`: the operation's own function of each element is applied. */
  readonly first: boolean;
  /** Last pass: the finished value goes to `dst`. */
  readonly last: boolean;
}

/** @param groups groups with an extent of at least 1. */
export function reducePasses(groups: readonly ReduceGroup[], target: GpuCapabilities): readonly ReducePass[] {
  const passes: Omit<ReducePass, 'first' | 'last'>[] = [];
  for (const group of groups) {
    let extent = group.extent;
    do {
      const slices = sliceCount({ ...group, extent }, target);
      passes.push({ ...group, extent, slices });
      extent = slices;
    } while (extent > 1);
  }
  return passes.map((pass, index) => ({ ...pass, first: index === 0, last: index === passes.length - 1 }));
}

function sliceCount(group: ReduceGroup, target: GpuCapabilities): number {
  const fewest = Math.ceil(group.extent / MAX_TERMS);
  if (target.software) return fewest;
  const wanted = Math.ceil(WANTED_INVOCATIONS / Math.max(group.outer * group.inner, 1));
  const most = Math.ceil(group.extent / MIN_TERMS);
  return Math.max(fewest, Math.min(wanted, most));
}
