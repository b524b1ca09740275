/**
 * Plans of expansion and depthwise convolution in one dispatch, for maps that fit into workgroup memory. The tile
 * follows from the channels; the number of pixels only chooses among the maps.
 */
import {
  type DispatchPlan,
  foldWorkgroups,
  type GpuCapabilities,
  type PassBinding,
  type PlanTable,
} from '@onegpu/core';
import { depthwisePacking } from '../conv/pack-weights.ts';
import { convCost } from '../conv/plan.ts';
import { convDstElements, convTerms } from '../conv/problem.ts';
import { activationLabel } from '../shared/activation.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { paddedChannels } from '../shared/layout.ts';
import { transposedPacking, vectorPacking } from '../shared/pack-matrix.ts';
import type { ExpandDepthwiseProblem } from './problem.ts';
import { type MapTile, mapPixels, WHOLE_MAP_INVOCATIONS, wholeMapWgsl } from './whole-map.wgsl.ts';

/** For maps of at most 64 pixels. */
export const TINY_TILE: MapTile = { quads: 4, rows: 1, tiles: 1 };

export const tinyMap = wholeMapOf('tiny-map', () => TINY_TILE);

/** For maps of at most 256 pixels: fewer channels a workgroup where there are few, so that many workgroups run. */
export function smallTile({ expand }: ExpandDepthwiseProblem): MapTile {
  const quads = expand.oc >= 800 ? 4 : expand.oc >= 400 ? 2 : 1;
  return { quads, rows: quads, tiles: 1 };
}

export const smallMap = wholeMapOf('small-map', smallTile);

/** For maps of at most 1024 pixels. */
export const LARGE_TILE: MapTile = { quads: 1, rows: 4, tiles: 1 };

export const largeMap = wholeMapOf('large-map', () => LARGE_TILE);

/** With a tile of one's own; tests use it for tiles that hardware takes for many channels. */
export function wholeMapOf(
  name: string,
  tileOf: (problem: ExpandDepthwiseProblem) => MapTile,
): Algorithm<ExpandDepthwiseProblem> {
  return {
    name,
    reject: (_, target) =>
      target.software ? 'barriers and workgroup memory are costly on a software adapter' : undefined,
    impossible: (problem, target) => mapRefusal(problem, tileOf(problem), target),
    plan: (problem, target) => planMap(problem, target, { name, tile: tileOf(problem) }),
  };
}

/** Why the map cannot be made by one workgroup for each block of channels. */
export function mapRefusal(
  { expand, depthwise }: ExpandDepthwiseProblem,
  tile: MapTile,
  { limits }: GpuCapabilities,
): string | undefined {
  if (!expand.weightsConstant || !depthwise.weightsConstant) {
    return 'packs the weights on the host, and they are not constant';
  }
  const most = mapPixels(tile);
  const pixels = Math.max(expand.oh * expand.ow, depthwise.oh * depthwise.ow);
  if (pixels > most) return `${pixels} pixels, a workgroup has room for ${most}`;
  if (convTerms(expand) * convTerms(depthwise) * expand.oh * expand.ow === 0)
    return 'there are no terms to sum';
  const bytes = 16 * most * tile.quads;
  if (bytes > limits.maxComputeWorkgroupStorageSize) return `needs ${bytes} bytes of workgroup memory`;
  return limits.maxComputeInvocationsPerWorkgroup < WHOLE_MAP_INVOCATIONS
    ? `needs ${WHOLE_MAP_INVOCATIONS} invocations`
    : undefined;
}

export function planMap(
  problem: ExpandDepthwiseProblem,
  target: GpuCapabilities,
  { name, tile, hidden }: { readonly name: string; readonly tile: MapTile; readonly hidden?: number },
): DispatchPlan {
  const { expand, depthwise } = problem;
  const { kh, kw, strideH, strideW, dilationH, dilationW, batch, ih, iw, oh, ow, padTop, padLeft } =
    depthwise;
  const label = expandLabel(problem, name);
  const blocks = Math.ceil(Math.ceil(expand.oc / 4) / tile.quads);
  const reads = ['src', 'expandWeights', 'expandBias', 'weights', 'bias'];
  const pass = {
    label,
    wgsl: wholeMapWgsl({
      ...{ tile, kh, kw, strideH, strideW, dilationH, dilationW },
      srcQuads: Math.ceil(expand.ic / 4),
      channels: expand.oc,
      expandActivation: expand.epilogue.activation,
      activation: depthwise.epilogue.activation,
      ...(hidden === undefined ? {} : { hidden }),
    }),
    bindings: [
      ...reads.map((operand) => ({ operand, access: 'read' }) as const),
      { operand: 'dst', access: 'read_write' } as const,
      ...(hidden === undefined ? [] : SQUEEZE_BINDINGS),
    ],
    params: Uint32Array.of(batch, ih, iw, oh, ow, padTop, padLeft, 0),
    workgroups: foldWorkgroups(batch * blocks, target.limits.maxComputeWorkgroupsPerDimension),
  };
  return {
    ...{ operator: 'expand-depthwise', algorithm: name, label, scratch: [] },
    passes: convDstElements(depthwise) === 0 ? [] : [pass],
    packing: [
      { ...transposedPacking('expandWeights', expand.oc, expand.ic) },
      depthwisePacking(depthwise),
      ...(expand.epilogue.bias ? vectorPacking('expandBias', expand.oc) : []),
      ...(depthwise.epilogue.bias ? vectorPacking('bias', expand.oc) : []),
    ],
    tables: [
      ...(expand.epilogue.bias ? [] : [zeros('expandBias', expand.oc)]),
      ...(depthwise.epilogue.bias ? [] : [zeros('bias', expand.oc)]),
    ],
    cost: expandCost(problem),
  };
}

const SQUEEZE_BINDINGS: readonly PassBinding[] = [
  { operand: 'squeezeWeights', access: 'read' },
  { operand: 'shares', access: 'read_write' },
];

function zeros(operand: string, length: number): PlanTable {
  return { operand, data: new Float32Array(paddedChannels(length)) };
}

/** `expand-depthwise/small-map/f32/5x5/hard-swish/hard-swish`. */
export function expandLabel(
  { expand, depthwise }: ExpandDepthwiseProblem,
  algorithm: string,
  operator = 'expand-depthwise',
): string {
  const steps = [expand, depthwise].map(({ epilogue }) => activationLabel(epilogue.activation));
  const window = `${depthwise.kh}x${depthwise.kw}`;
  return [operator, algorithm, 'f32', window, ...steps.filter((text) => text !== '')].join('/');
}

/** Both convolutions; what lies between them need not move. */
export function expandCost({ expand, depthwise }: ExpandDepthwiseProblem): DispatchPlan['cost'] {
  const [first, second] = [convCost(expand), convCost(depthwise)];
  const between = 4 * expand.batch * expand.oc * expand.oh * expand.ow;
  return { flops: first.flops + second.flops, bytes: first.bytes + second.bytes - 2 * between };
}
