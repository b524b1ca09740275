/**
 * `pixel-shuffle` and `pixel-shuffle-tiled`: where kernel = stride no two taps meet in an output element, so the
 * transposed convolution is one product whose columns are scattered, without scratch and without a second pass:
 *
 *   gemmM = batch * ih * iw pixels, gemmN = taps * oc (padded to vec4), gemmK = ic
 *   dst[b, iy * strideH + r, ix * strideW + s, c] = finish(product[(b, iy, ix), (r, s, c)])
 *
 * With one output channel a vec4 of columns is four taps instead of four channels. Layout nhwc4.
 */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { type GemmKernel, gemmPass } from '../gemm/plan.ts';
import { registerTileKernel } from '../gemm/register-tile.ts';
import type { GemmScatter, GemmSpec } from '../gemm/spec.ts';
import { SLOW_BARRIERS, tiledKernel, tiledRefusal } from '../gemm/tiled.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import type { AxisWindow } from '../shared/conv-geometry.ts';
import { paddedChannels } from '../shared/layout.ts';
import { pixelShufflePacking } from './pack-weights.ts';
import { pixelStoreWgsl } from './pixel-store.wgsl.ts';
import type { ConvTransposeProblem } from './problem.ts';
import {
  biasPacking,
  convTransposeCost,
  convTransposeLabel,
  sameLayoutRefusal,
  tapCount,
  vectorRefusal,
} from './spec.ts';

function covers(axis: AxisWindow): boolean {
  const dense = axis.kernel === 1 || axis.dilation === 1;
  return dense && axis.kernel === axis.stride && axis.padBegin === 0 && axis.padEnd === 0;
}

/** Why the taps are not columns of one product of vec4; undefined where they are. */
export function shuffleRefusal(problem: ConvTransposeProblem): string | undefined {
  if (!covers(problem.vertical) || !covers(problem.horizontal)) {
    return 'the taps overlap or the output is cut: only kernel = stride without pads';
  }
  return problem.groups === 1 ? vectorRefusal(problem) : 'the groups are not one product';
}

function refusal(problem: ConvTransposeProblem): string | undefined {
  return shuffleRefusal(problem) ?? sameLayoutRefusal(problem);
}

function pixelSpec(problem: ConvTransposeProblem): GemmSpec {
  const { ic, oc, epilogue, vertical, horizontal } = problem;
  const taps = tapCount(problem);
  const scatter: GemmScatter = {
    wgsl: pixelStoreWgsl({ oc, kh: vertical.kernel, kw: horizontal.kernel }),
    params: { iw: horizontal.input },
  };
  return {
    src: 'row-vec4',
    weights: 'row-vec4',
    dst: 'vec4f',
    gemmK: paddedChannels(ic),
    gemmN: oc === 1 ? paddedChannels(taps) : taps * paddedChannels(oc),
    batched: false,
    alpha: 1,
    beta: 1,
    addend: epilogue.bias ? 'row' : 'none',
    residual: epilogue.residual,
    activation: epilogue.activation,
    scatter,
  };
}

function pixelPlan(
  algorithm: string,
  problem: ConvTransposeProblem,
  target: GpuCapabilities,
  makeKernel: (spec: GemmSpec, target: GpuCapabilities) => GemmKernel,
): DispatchPlan {
  const spec = pixelSpec(problem);
  const kernel = makeKernel(spec, target);
  const label = convTransposeLabel(problem, algorithm, kernel.tile);
  const { batch, vertical, horizontal } = problem;
  const extents = {
    gemmM: batch * vertical.input * horizontal.input,
    gemmN: spec.gemmN ?? 0,
    gemmK: spec.gemmK ?? 0,
    batch: 1,
  };
  return {
    operator: 'conv-transpose',
    algorithm,
    label,
    passes: [gemmPass(extents, spec, kernel, { label, target })],
    scratch: [],
    tables: [],
    packing: [pixelShufflePacking(problem), ...biasPacking(problem)],
    cost: convTransposeCost(problem),
  };
}

export const pixelShuffleTiled: Algorithm<ConvTransposeProblem> = {
  name: 'pixel-shuffle-tiled',
  impossible: (problem, target) => refusal(problem) ?? tiledRefusal(target),
  reject: (_problem, target) => (target.software ? SLOW_BARRIERS : undefined),
  plan: (problem, target) => pixelPlan('pixel-shuffle-tiled', problem, target, tiledKernel),
};

export const pixelShuffle: Algorithm<ConvTransposeProblem> = {
  name: 'pixel-shuffle',
  impossible: refusal,
  reject: () => undefined,
  plan: (problem, target) => pixelPlan('pixel-shuffle', problem, target, (spec) => registerTileKernel(spec)),
};
