/**
 * Plan of squeeze-excite in two dispatches over blocks of channels: shares of the hidden sums, then blocks of factors.
 * Many pixels are first added in slices, as one more dispatch.
 */
import { type DispatchPass, foldWorkgroups, type GpuCapabilities, type ScratchSpec } from '@onegpu/core';
import { sliceSums } from '../reduce/slice-sums.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { exciteWgsl } from './excite.wgsl.ts';
import {
  exciteLabel,
  excitePlan,
  exciteSpec,
  hardwareOnly,
  invocationsOf,
  needsTerms,
  readsOf,
} from './plan.ts';
import { pixelsOf, quadsOf, type SqueezeExciteProblem } from './problem.ts';
import { squeezeWgsl } from './squeeze.wgsl.ts';
import type { BlockSpec } from './stages.ts';

const NAME = 'channel-blocks';
/** Scratch of the sums of slices of pixels. */
const SUMS = 'sliceSums';
const MOST_INVOCATIONS = 256;
/** Pixels whose sum a workgroup makes in the time of another dispatch. */
const MANY_PIXELS = 4096;

export const channelBlocks: Algorithm<SqueezeExciteProblem> = channelBlocksOf(NAME, MANY_PIXELS);

/** With a limit of pixels of one's own; tests use it for small pictures. */
export function channelBlocksOf(name: string, manyPixels: number): Algorithm<SqueezeExciteProblem> {
  return {
    name,
    reject: (_, target) => hardwareOnly(target),
    impossible: (problem, target) => needsTerms(problem) ?? tooWide(problem, target),
    plan: (problem, target) => {
      const slices = pixelsOf(problem) > manyPixels ? slicesOf(problem, target) : undefined;
      const { passes, scratch } = blockPasses(
        problem,
        target,
        slices === undefined
          ? { operand: 'src', rows: pixelsOf(problem) }
          : { operand: SUMS, rows: slices.rows },
      );
      const first = slices === undefined ? [] : [slices.pass];
      return excitePlan(problem, {
        algorithm: name,
        passes: problem.batch === 0 ? [] : [...first, ...passes],
        scratch: [...(slices === undefined ? [] : [slices.scratch]), scratch],
      });
    },
  };
}

/** vec4 of channels a block: whole sectors of memory, and workgroups enough for a large GPU. */
function blockQuadsOf({ channels }: SqueezeExciteProblem): number {
  return channels >= 512 ? 8 : 4;
}

function slicesOf(problem: SqueezeExciteProblem, target: GpuCapabilities) {
  const group = { outer: problem.batch, extent: pixelsOf(problem), inner: quadsOf(problem).src };
  return sliceSums(group, target, { label: `${exciteLabel(problem, NAME)}/slices`, dst: SUMS });
}

/** The two dispatches over the rows of a picture: its pixels, or the sums of slices of them. */
function blockPasses(
  problem: SqueezeExciteProblem,
  target: GpuCapabilities,
  { operand, rows }: { readonly operand: string; readonly rows: number },
): { readonly passes: readonly DispatchPass[]; readonly scratch: ScratchSpec } {
  const { src, hidden, dst } = quadsOf(problem);
  const blockQuads = blockQuadsOf(problem);
  const spec: BlockSpec = { ...exciteSpec(problem, invocationsOf(target, MOST_INVOCATIONS)), blockQuads };
  const srcBlocks = Math.ceil(src / blockQuads);
  const params = Uint32Array.of(problem.batch, rows, pixelsOf(problem), 0);
  const grid = (blocks: number): readonly [number, number, number] =>
    foldWorkgroups(problem.batch * blocks, target.limits.maxComputeWorkgroupsPerDimension);
  const label = exciteLabel(problem, NAME);
  const squeeze: DispatchPass = {
    label: `${label}/squeeze`,
    wgsl: squeezeWgsl(spec),
    bindings: [...readsOf(operand, 'squeezeWeights'), { operand: 'shares', access: 'read_write' }],
    params,
    workgroups: grid(srcBlocks),
  };
  const excite: DispatchPass = {
    label,
    wgsl: exciteWgsl(spec),
    bindings: [
      ...readsOf('shares', 'squeezeBias', 'exciteWeights', 'exciteBias'),
      { operand: 'dst', access: 'read_write' },
    ],
    params,
    workgroups: grid(Math.ceil(dst / blockQuads)),
  };
  const bytes = Math.max(problem.batch * srcBlocks * hidden * 16, 16);
  return { passes: [squeeze, excite], scratch: { operand: 'shares', bytes } };
}

function tooWide(problem: SqueezeExciteProblem, target: GpuCapabilities): string | undefined {
  const invocations = invocationsOf(target, MOST_INVOCATIONS);
  const { hidden } = quadsOf(problem);
  return hidden <= invocations
    ? undefined
    : `${hidden} vec4 of hidden values, a workgroup has ${invocations} invocations`;
}
