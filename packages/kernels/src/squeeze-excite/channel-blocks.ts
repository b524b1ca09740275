/**
 * Plan of squeeze-excite in two dispatches: the first over blocks of channels and slices of pixels leaves shares of the
 * hidden sums, the second over blocks of factors adds them.
 */

import { type DispatchPass, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { hardwareOnly } from '../shared/hardware-only.ts';
import { multiprocessors } from '../shared/multiprocessors.ts';
import { exciteWgsl } from './excite.wgsl.ts';
import { exciteLabel, excitePlan, exciteSpec, invocationsOf, needsTerms, readsOf } from './plan.ts';
import { pixelsOf, quadsOf, type SqueezeExciteProblem } from './problem.ts';
import { squeezeWgsl } from './squeeze.wgsl.ts';
import type { BlockSpec } from './stages.wgsl.ts';

const NAME = 'channel-blocks';
const MOST_INVOCATIONS = 256;
/** Pixels a workgroup adds quickly, and the most slices of them: the second dispatch adds as many shares. */
const SLICE_PIXELS = 1024;
const MOST_SLICES = 64;

export const channelBlocks: Algorithm<SqueezeExciteProblem> = channelBlocksOf(NAME, SLICE_PIXELS);

/** With slices of one's own size; tests use it for small pictures. */
export function channelBlocksOf(name: string, slicePixels: number): Algorithm<SqueezeExciteProblem> {
  return {
    name,
    reject: (_, target) => hardwareOnly(target),
    impossible: (problem, target) => needsTerms(problem) ?? tooWide(problem, target),
    plan: (problem, target) => {
      const slices = slicesOf(problem, slicePixels);
      const blocks = Math.ceil(quadsOf(problem).src / blockQuadsOf(problem));
      const bytes = 16 * problem.batch * slices.count * blocks * quadsOf(problem).hidden;
      return excitePlan(problem, {
        algorithm: name,
        passes: problem.batch === 0 ? [] : blockPasses(problem, target, slices),
        scratch: [{ operand: 'shares', bytes: Math.max(bytes, 16) }],
      });
    },
  };
}

interface Slices {
  readonly count: number;
  readonly pixels: number;
}

function slicesOf(problem: SqueezeExciteProblem, slicePixels: number): Slices {
  const most = Math.min(MOST_SLICES, Math.ceil(pixelsOf(problem) / slicePixels));
  const pixels = Math.ceil(pixelsOf(problem) / most);
  return { count: Math.ceil(pixelsOf(problem) / pixels), pixels };
}

/** vec4 of channels a block: whole sectors of memory, and workgroups enough for a large GPU. */
function blockQuadsOf({ channels }: SqueezeExciteProblem): number {
  return channels >= 512 ? 8 : 4;
}

function blockPasses(
  problem: SqueezeExciteProblem,
  target: GpuCapabilities,
  slices: Slices,
): readonly DispatchPass[] {
  const blockQuads = blockQuadsOf(problem);
  const srcBlocks = Math.ceil(quadsOf(problem).src / blockQuads);
  const spec = blockSpec(problem, target, srcBlocks);
  const params = Uint32Array.of(problem.batch, pixelsOf(problem), slices.count, slices.pixels);
  const label = exciteLabel(problem, NAME);
  const squeeze: DispatchPass = {
    label: `${label}/squeeze`,
    wgsl: squeezeWgsl(spec),
    bindings: [...readsOf('src', 'squeezeWeights'), { operand: 'shares', access: 'read_write' }],
    params,
    workgroups: foldWorkgroups(
      problem.batch * slices.count * srcBlocks,
      target.limits.maxComputeWorkgroupsPerDimension,
    ),
  };
  return [squeeze, excitePass(problem, target, { spec, params, label })];
}

function blockSpec(problem: SqueezeExciteProblem, target: GpuCapabilities, srcBlocks: number): BlockSpec {
  const invocations = invocationsOf(target, MOST_INVOCATIONS);
  return { ...exciteSpec(problem, invocations), blockQuads: blockQuadsOf(problem), srcBlocks };
}

/** Loads of an invocation that are in flight together. */
const LOADS = 8;

/**
 * Of the second dispatch alone, behind another kernel that leaves `slices` times `srcBlocks` shares of each picture:
 * invocations enough to load all shares and all weights at once, blocks so large that no more workgroups read the shares
 * than run at once.
 */
export function behindSpec(
  problem: SqueezeExciteProblem,
  target: GpuCapabilities,
  { slices, srcBlocks }: { readonly slices: number; readonly srcBlocks: number },
): BlockSpec {
  const { hidden, dst } = quadsOf(problem);
  const units = multiprocessors(target);
  let blockQuads = blockQuadsOf(problem);
  while (problem.batch * Math.ceil(dst / blockQuads) > units && blockQuads < 32) blockQuads *= 2;
  const wanted = Math.max(
    hidden * Math.ceil((slices * srcBlocks) / LOADS),
    blockQuads * Math.ceil(problem.hidden / LOADS),
    MOST_INVOCATIONS / 2,
  );
  const invocations = Math.min(
    invocationsOf(target, 4 * MOST_INVOCATIONS),
    2 ** Math.ceil(Math.log2(wanted)),
  );
  return { ...exciteSpec(problem, invocations), blockQuads, srcBlocks };
}

/** The second dispatch: from the operand `shares` to `dst`. */
export function excitePass(
  problem: SqueezeExciteProblem,
  target: GpuCapabilities,
  { spec, params, label }: { readonly spec: BlockSpec; readonly params: Uint32Array; readonly label: string },
): DispatchPass {
  const blocks = problem.batch * Math.ceil(quadsOf(problem).dst / spec.blockQuads);
  return {
    label,
    wgsl: exciteWgsl(spec),
    bindings: [
      ...readsOf('shares', 'squeezeBias', 'exciteWeights', 'exciteBias'),
      { operand: 'dst', access: 'read_write' },
    ],
    params,
    workgroups: foldWorkgroups(blocks, target.limits.maxComputeWorkgroupsPerDimension),
  };
}

/** Why the second dispatch cannot run. */
export function tooWide(problem: SqueezeExciteProblem, target: GpuCapabilities): string | undefined {
  const invocations = invocationsOf(target, MOST_INVOCATIONS);
  const { hidden } = quadsOf(problem);
  return hidden <= invocations
    ? undefined
    : `${hidden} vec4 of hidden values, a workgroup has ${invocations} invocations`;
}
