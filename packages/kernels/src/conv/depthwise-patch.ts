/**
 * Plans of the depthwise kernel of hardware adapters. The patch an invocation makes is the largest that leaves enough
 * invocations to keep a large GPU busy: a wide patch loads less, a narrow one waits less on small maps. Its name,
 * `4x2` columns and rows, is the configuration.
 */
import { type DispatchPlan, foldWorkgroups, type GpuCapabilities, GpuKernelShapeError } from '@onegpu/core';
import type { Algorithm, KernelOptions } from '../shared/algorithm.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { type ParamsRecord, paramsBlock } from '../shared/params-block.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { needsOneChannelGroups } from './depthwise.ts';
import { depthwisePatchWgsl, PATCH_INVOCATIONS, type Patch, touched } from './depthwise-patch.wgsl.ts';
import { needsNoGate } from './gate.ts';
import { depthwisePacking } from './pack-weights.ts';
import {
  biasPacking,
  CONV_BINDINGS,
  convLabel,
  convPlan,
  needsConstantWeights,
  needsLayout,
} from './plan.ts';
import { type ConvProblem, needsWholeResidual } from './problem.ts';

/** The largest first. */
const PATCHES: readonly Patch[] = [
  { columns: 4, rows: 2 },
  { columns: 4, rows: 1 },
  { columns: 2, rows: 1 },
  { columns: 1, rows: 1 },
];

/** One subgroup of 32 for each of the four schedulers of 132 multiprocessors. */
const LEAST_INVOCATIONS = 16384;
/** Smallest part of the pixels of all patches that lies inside the picture. */
const LEAST_USED = 0.75;
/** Beyond this the unrolled text compiles slowly. */
const MOST_TAPS = 49;
/** Source pixels of a patch; more do not fit into registers. */
const MOST_TOUCHED = 64;

export type PatchRule = (problem: ConvProblem) => readonly Patch[];

export const depthwisePatch = depthwisePatchOf('depthwise-patch', patchesFor);

/** With a rule of one's own, the best patch first; tests use it for patches that need larger pictures. */
export function depthwisePatchOf(name: string, rule: PatchRule): Algorithm<ConvProblem> {
  return {
    name,
    reject: (_, target) =>
      target.software ? 'a software adapter compiles unrolled taps for long' : undefined,
    impossible: (problem) =>
      needsNoGate(problem) ??
      needsWholeResidual(problem) ??
      needsOneChannelGroups(problem) ??
      needsLayout(problem, 'nhwc4') ??
      needsConstantWeights(problem) ??
      needsFewTaps(problem),
    configurations: (problem) => rule(problem).map(patchName),
    plan: (problem, target, options) =>
      planPatch(problem, target, { name, patch: patchOf(rule(problem), options) }),
  };
}

/** Every patch that suits the windows, the one to take first. */
export function patchesFor(problem: ConvProblem): readonly Patch[] {
  const suited = PATCHES.filter((patch) => suits(problem, patch));
  const best =
    suited.find((patch) => {
      const pixels = patchCount(problem, patch) * patch.columns * patch.rows;
      const used = (problem.batch * problem.oh * problem.ow) / Math.max(pixels, 1);
      const invocations = patchCount(problem, patch) * Math.ceil(problem.oc / 4);
      return invocations >= LEAST_INVOCATIONS && used >= LEAST_USED;
    }) ?? suited.at(-1);
  return best === undefined ? [] : [best, ...suited.filter((patch) => patch !== best)];
}

/** A second row of outputs is for windows that overlap: else it shares few lines with the first. */
function suits(problem: ConvProblem, patch: Patch): boolean {
  const { kh, kw, strideH, strideW, dilationH, dilationW } = problem;
  if (patch.rows > 1 && (strideH > 1 || dilationH > 1)) return false;
  const columns = touched(patch.columns, strideW, kw, dilationW).length;
  const rows = touched(patch.rows, strideH, kh, dilationH).length;
  return columns * rows <= MOST_TOUCHED;
}

function patchCount({ batch, oh, ow }: ConvProblem, { columns, rows }: Patch): number {
  return batch * Math.ceil(oh / rows) * Math.ceil(ow / columns);
}

function patchName({ columns, rows }: Patch): string {
  return `${columns}x${rows}`;
}

/** The patch asked for, else the rule's first. @throws GpuKernelShapeError for a name that is none here */
function patchOf(choices: readonly Patch[], { configuration: wanted }: KernelOptions): Patch {
  const patch = wanted === undefined ? choices[0] : choices.find((choice) => patchName(choice) === wanted);
  if (patch !== undefined) return patch;
  throw new GpuKernelShapeError('this is no configuration of the algorithm', {
    subject: 'Conv',
    field: 'configuration',
    got: wanted ?? 'none',
    expected: choices.map(patchName).join(', '),
  });
}

function needsFewTaps({ kh, kw }: ConvProblem): string | undefined {
  return kh * kw <= MOST_TAPS ? undefined : `unrolls at most ${MOST_TAPS} taps`;
}

function planPatch(
  problem: ConvProblem,
  target: GpuCapabilities,
  { name, patch }: { readonly name: string; readonly patch: Patch },
): DispatchPlan {
  const { kh, kw, strideH, strideW, dilationH, dilationW, oc } = problem;
  const quads = Math.ceil(oc / 4);
  const epilogue = spliceEpilogue(problem.epilogue, 'vec4f', CONV_BINDINGS.length);
  const bindings = [...CONV_BINDINGS, ...epilogue.bindings];
  const params = patchParams(problem, patch);
  const label = convLabel(problem, name, `${kh}x${kw}/${patchName(patch)}`);
  const pass = {
    label,
    wgsl: depthwisePatchWgsl({
      ...{ patch, kh, kw, strideH, strideW, dilationH, dilationW, params },
      paramsBinding: bindings.length,
      epilogue: `${epilogue.wgsl}\n${maskLanesWgsl('params.oc')}`,
    }),
    ...{ bindings, params: paramsBlock(params) },
    workgroups: foldWorkgroups(
      Math.ceil((patchCount(problem, patch) * quads) / PATCH_INVOCATIONS),
      target.limits.maxComputeWorkgroupsPerDimension,
    ),
  };
  const packing = [depthwisePacking(problem), ...biasPacking(problem)];
  return convPlan(problem, {
    ...{ algorithm: name, label, passes: [pass], packing, tables: epilogue.tables },
  });
}

/** `across` and `down`: patches of a line of them, and lines of an image. */
function patchParams(problem: ConvProblem, { columns, rows }: Patch): ParamsRecord {
  const { batch, ih, iw, oh, ow, oc, padTop, padLeft } = problem;
  return {
    ...{ batch, ih, iw, oh, ow, oc, quads: Math.ceil(oc / 4), pad_top: padTop, pad_left: padLeft },
    ...{ across: Math.ceil(ow / columns), down: Math.ceil(oh / rows) },
  };
}
