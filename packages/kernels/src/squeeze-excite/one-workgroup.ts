/** Plan of squeeze-excite in one dispatch, a workgroup a picture: for the small pictures and weights one can read quickly. */
import { foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { hardwareOnly } from '../shared/hardware-only.ts';
import { oneWorkgroupWgsl } from './one-workgroup.wgsl.ts';
import { exciteLabel, excitePlan, exciteSpec, invocationsOf, needsTerms, readsOf } from './plan.ts';
import { pixelsOf, quadsOf, type SqueezeExciteProblem } from './problem.ts';

const NAME = 'one-workgroup';
const MOST_INVOCATIONS = 1024;
/** Bytes of a picture and the weights that one workgroup reads in the time of another dispatch. */
const QUICK_BYTES = 320 * 1024;

export const oneWorkgroup: Algorithm<SqueezeExciteProblem> = {
  name: NAME,
  reject: (problem, target) => hardwareOnly(target) ?? tooMuch(problem),
  impossible: (problem, target) => needsTerms(problem) ?? tooWide(problem, target) ?? farTooMuch(problem),
  plan: (problem, target) => {
    const invocations = invocationsOf(target, MOST_INVOCATIONS);
    const bindings = [
      ...readsOf('src', 'squeezeWeights', 'squeezeBias', 'exciteWeights', 'exciteBias'),
      { operand: 'dst', access: 'read_write' } as const,
    ];
    const pass = {
      label: exciteLabel(problem, NAME),
      wgsl: oneWorkgroupWgsl(exciteSpec(problem, invocations)),
      bindings,
      params: Uint32Array.of(problem.batch, pixelsOf(problem), 1, pixelsOf(problem)),
      workgroups: foldWorkgroups(problem.batch, target.limits.maxComputeWorkgroupsPerDimension),
    };
    const passes = problem.batch === 0 ? [] : [pass];
    return excitePlan(problem, { algorithm: NAME, passes, scratch: [] });
  },
};

function tooMuch(problem: SqueezeExciteProblem): string | undefined {
  const bytes = bytesOf(problem);
  return bytes <= QUICK_BYTES
    ? undefined
    : `${bytes} bytes of a picture and weights are read sooner by many workgroups`;
}

/** A session that has planned small pictures does not keep the algorithm for very large ones. */
function farTooMuch(problem: SqueezeExciteProblem): string | undefined {
  const bytes = bytesOf(problem);
  return bytes <= 16 * QUICK_BYTES ? undefined : `${bytes} bytes are too many for one workgroup`;
}

function bytesOf(problem: SqueezeExciteProblem): number {
  const { channels, hidden, outputs } = problem;
  return 4 * (channels * pixelsOf(problem) + hidden * (channels + outputs));
}

function tooWide(problem: SqueezeExciteProblem, target: GpuCapabilities): string | undefined {
  const invocations = invocationsOf(target, MOST_INVOCATIONS);
  const { src, hidden, dst } = quadsOf(problem);
  const widest = Math.max(src, hidden, dst);
  if (widest > invocations) return `${widest} vec4 of channels, a workgroup has ${invocations} invocations`;
  const bytes = 16 * (invocations + src + hidden);
  const most = target.limits.maxComputeWorkgroupStorageSize;
  return bytes <= most ? undefined : `needs ${bytes} bytes of workgroup memory of ${most}`;
}
