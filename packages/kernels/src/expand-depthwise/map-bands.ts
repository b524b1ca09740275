/**
 * Plans of expansion and depthwise convolution in one dispatch, over bands of rows and blocks of wide channels of a map.
 * `map-tile.ts` chooses their sizes, `map-rule.ts` says when that pays.
 */
import {
  type DispatchPlan,
  type GpuCapabilities,
  GpuKernelShapeError,
  type PassBinding,
  type PlanTable,
} from '@onegpu/core';
import { depthwisePacking } from '../conv/pack-weights.ts';
import { convCost } from '../conv/plan.ts';
import { convDstElements, convTerms } from '../conv/problem.ts';
import { activationLabel } from '../shared/activation.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { floatBits } from '../shared/float-bits.ts';
import { hardwareOnly } from '../shared/hardware-only.ts';
import { paddedChannels } from '../shared/layout.ts';
import { transposedPacking, vectorPacking } from '../shared/pack-matrix.ts';
import { type ParamsRecord, paramsBlock } from '../shared/params-block.ts';
import { mapBandsWgsl } from './map-bands.wgsl.ts';
import { notWorthwhile } from './map-rule.ts';
import { layoutOf, type MapLayout, mapWidth, type WantedLayout } from './map-tile.ts';
import type { ExpandDepthwiseProblem } from './problem.ts';

export const MAP_BANDS = 'map-bands';

export const mapBands = mapBandsOf(MAP_BANDS);

/** With a layout of one's own; tests and measurements name what they want of it. */
export function mapBandsOf(name: string, wanted: WantedLayout = {}): Algorithm<ExpandDepthwiseProblem> {
  return {
    name,
    reject: (problem, target) => hardwareOnly(target) ?? notWorthwhile(problem, target),
    impossible: (problem, target) => mapRefusal(problem, target, { wanted }),
    plan: (problem, target) => {
      const layout = layoutOf(problem, target.limits, { wanted });
      if (layout === undefined) throw noLayout(problem);
      return planMap(problem, { name, layout });
    },
  };
}

/** Why no workgroup can make a band of the map. */
export function mapRefusal(
  problem: ExpandDepthwiseProblem,
  { limits }: GpuCapabilities,
  choice: { readonly hidden?: number; readonly wanted?: WantedLayout } = {},
): string | undefined {
  const { expand, depthwise } = problem;
  if (!expand.weightsConstant || !depthwise.weightsConstant) {
    return 'packs the weights on the host, and they are not constant';
  }
  if (convTerms(expand) * convTerms(depthwise) * expand.oh * expand.ow === 0) {
    return 'there are no terms to sum';
  }
  const layout = layoutOf(problem, limits, choice);
  if (layout === undefined) {
    return 'a band of the map needs more workgroup memory or invocations than the device has';
  }
  const most = Math.max(layout.blocks, layout.bands, expand.batch);
  return most > limits.maxComputeWorkgroupsPerDimension ? `${most} workgroups in one dimension` : undefined;
}

export function noLayout({ expand }: ExpandDepthwiseProblem): GpuKernelShapeError {
  return new GpuKernelShapeError('no band of the map fits the device', {
    subject: 'ExpandDepthwise',
    field: 'src',
    got: `${expand.ih}x${expand.iw}`,
    expected: 'a smaller map, or another algorithm',
  });
}

export function planMap(
  problem: ExpandDepthwiseProblem,
  { name, layout, hidden }: { readonly name: string; readonly layout: MapLayout; readonly hidden?: number },
): DispatchPlan {
  const { expand, depthwise } = problem;
  const { kh, kw, strideH, strideW, dilationH, dilationW } = depthwise;
  const label = expandLabel(problem, name);
  const { tile, bands, blocks } = layout;
  const reads = ['src', 'expandWeights', 'expandBias', 'weights', 'bias'];
  const params = mapParams(problem, layout);
  const pass = {
    label,
    wgsl: mapBandsWgsl({
      ...{ tile, kh, kw, strideH, strideW, dilationH, dilationW, params },
      ragged: tile.steps * tile.slices * tile.kQuads !== params.src_quads,
      expandActivation: expand.epilogue.activation,
      activation: depthwise.epilogue.activation,
      ...(hidden === undefined ? {} : { hidden }),
    }),
    bindings: [
      ...reads.map((operand) => ({ operand, access: 'read' }) as const),
      { operand: 'dst', access: 'read_write' } as const,
      ...(hidden === undefined ? [] : SQUEEZE_BINDINGS),
    ],
    params: paramsBlock(params),
    workgroups: [blocks, bands, expand.batch] as const,
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

function mapParams(problem: ExpandDepthwiseProblem, { tile, bandRows, bands, blocks }: MapLayout) {
  const { expand, depthwise } = problem;
  const { batch, ih, iw, oh, ow, padTop, padLeft } = depthwise;
  const patches = Math.ceil(ow / tile.patch);
  return {
    ...{ batch, ih, iw, oh, ow, pad_top: padTop, pad_left: padLeft },
    src_quads: Math.ceil(expand.ic / 4),
    wide_quads: Math.ceil(expand.oc / 4),
    channels: expand.oc,
    ...{ blocks, bands, band_rows: bandRows, map_width: mapWidth(problem) },
    iw_inverse: floatBits(1 / iw),
    patches,
    patches_inverse: floatBits(1 / patches),
  } satisfies ParamsRecord;
}

const SQUEEZE_BINDINGS: readonly PassBinding[] = [
  { operand: 'squeezeWeights', access: 'read' },
  { operand: 'shares', access: 'read_write' },
];

function zeros(operand: string, length: number): PlanTable {
  return { operand, data: new Float32Array(paddedChannels(length)) };
}

/** `expand-depthwise/map-bands/f32/5x5/hard-swish/hard-swish`. */
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
