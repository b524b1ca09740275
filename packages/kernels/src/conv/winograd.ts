/**
 * Winograd's convolutions as three dispatches a chunk: source tiles to `values`, a batch of 36 or 16 matrix products with
 * the transformed weights to `products`, and those to outputs with the epilogue. F(4x4, 3x3) makes a quarter of the
 * multiply-adds for some three times the error of a sum, so `fast` mode alone takes it. F(2x2, 3x3) makes them 2.25 times
 * fewer, its errors are about those of sums, and small integers come out exact: both modes take it.
 */
import { type DispatchPass, type DispatchPlan, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import type { Algorithm, NumericMode } from '../shared/algorithm.ts';
import { hardwareOnly } from '../shared/hardware-only.ts';
import { type ParamsRecord, paramsBlock, paramsStruct } from '../shared/params-block.ts';
import { chunkRanges } from '../shared/scratch-chunks.ts';
import { needsNoGate } from './gate.ts';
import { configurationName, type GemmConfiguration, type GemmTile } from './gemm-tile.ts';
import { chosenConfiguration, gemmChain, gemmParams, raggedness, STORE_SUMS } from './implicit-gemm.ts';
import { implicitGemmWgsl } from './implicit-gemm.wgsl.ts';
import { biasPacking, convLabel, convPlan, needsConstantWeights, needsLayout } from './plan.ts';
import { type ConvProblem, needsWholeResidual } from './problem.ts';
import { spliceStore } from './store.ts';
import { TRANSFORM_INVOCATIONS, winogradOutputWgsl, winogradSourceWgsl } from './winograd.wgsl.ts';
import {
  chunkTiles,
  exceedsBinding,
  notWorthwhile,
  productConfigurations,
  productProblem,
  tileBytes,
  tileGrid,
} from './winograd-rule.ts';
import { WINOGRAD_2X2, WINOGRAD_4X4, type WinogradVariant } from './winograd-transforms.ts';
import { winogradPacking } from './winograd-weights.ts';

/** Tiles of the batched product to choose from, the best first. */
export type ProductRule = (problem: ConvProblem, target: GpuCapabilities) => readonly GemmConfiguration[];

export const winograd = winogradOf('winograd', WINOGRAD_4X4, estimatedRule(WINOGRAD_4X4));

export const winograd2x2 = winogradOf('winograd-2x2', WINOGRAD_2X2, estimatedRule(WINOGRAD_2X2));

const VARIANTS: ReadonlyMap<string, WinogradVariant> = new Map([
  [winograd.name, WINOGRAD_4X4],
  [winograd2x2.name, WINOGRAD_2X2],
]);

/** The variant that the algorithm of this name is; undefined for any other algorithm. */
export function winogradVariant(algorithm: string): WinogradVariant | undefined {
  return VARIANTS.get(algorithm);
}

function estimatedRule(variant: WinogradVariant): ProductRule {
  return (problem, target) =>
    productConfigurations(problem, target, variant).map(({ configuration }) => configuration);
}

/** One with tiles of one's own; tests use it for small twins, and for chunks of `scratchBytes`. */
export function winogradOf(
  name: string,
  variant: WinogradVariant,
  rule: ProductRule,
  scratchBytes?: number | undefined,
): Algorithm<ConvProblem> {
  return {
    name,
    ...(inFastModeAlone(variant) ? { sums: 'transformed' } : {}),
    bound: { transformed: variant.outputs },
    reject: (problem, target, { mode }) =>
      hardwareOnly(target) ?? notWorthwhile(problem, variant, target, othersOf(variant, mode)),
    impossible: (problem, target) => impossible(problem, variant, target, rule),
    configurations: (problem, target) => rule(problem, target).map(configurationName),
    plan: (problem, target, options) => {
      const configuration = chosenConfiguration(rule(problem, target), target, options);
      const given = scratchBytes ?? options.scratchBytes;
      return planWinograd(problem, variant, target, { name, configuration, given });
    },
  };
}

function inFastModeAlone({ outputs }: WinogradVariant): boolean {
  return outputs === WINOGRAD_4X4.outputs;
}

/** The other variants that this mode may run. */
function othersOf(variant: WinogradVariant, mode: NumericMode): readonly WinogradVariant[] {
  const all = [WINOGRAD_4X4, WINOGRAD_2X2].filter((other) => mode === 'fast' || !inFastModeAlone(other));
  return all.filter((other) => other !== variant);
}

function impossible(
  problem: ConvProblem,
  variant: WinogradVariant,
  target: GpuCapabilities,
  rule: ProductRule,
): string | undefined {
  const { kh, kw, strideH, strideW, dilationH, dilationW, groups, ic, ih, iw, weightsType } = problem;
  if (kh !== 3 || kw !== 3) return `a window of ${kh}x${kw}, written for 3x3`;
  if (strideH * strideW * dilationH * dilationW !== 1) return 'strides or dilations, written for neither';
  if (groups !== 1) return `${groups} groups, written for one`;
  if (ic * ih * iw === 0) return 'there are no terms to sum';
  if (weightsType !== 'float32') return `weights of ${weightsType}, which their transform would round`;
  const refusal =
    needsLayout(problem, 'nhwc4') ??
    needsConstantWeights(problem) ??
    needsNoGate(problem) ??
    needsWholeResidual(problem);
  if (refusal !== undefined) return refusal;
  const [best] = rule(problem, target);
  if (best === undefined) return 'no tile fits the limits of this device';
  return exceedsBinding(problem, variant, { tile: best.tile, limits: target.limits });
}

interface Planned {
  readonly name: string;
  readonly configuration: GemmConfiguration;
  /** Most bytes of scratch. */
  readonly given: number | undefined;
}

function planWinograd(
  problem: ConvProblem,
  variant: WinogradVariant,
  target: GpuCapabilities,
  { name, configuration, given }: Planned,
): DispatchPlan {
  const { tile } = configuration;
  const label = convLabel(problem, name, configurationName(configuration));
  const { values, products } = tileBytes(problem, variant);
  const size = chunkTiles(problem, variant, target, given);
  const passes = chunkRanges(tileGrid(problem, variant).tiles, size).flatMap(({ begin, count }) => {
    const chunk: Chunk = { variant, label, begin, tiles: count };
    return [
      sourcePass(problem, target, chunk),
      productPass(problem, target, chunk, tile),
      outputPass(problem, target, chunk),
    ];
  });
  const plan = convPlan(problem, {
    ...{ algorithm: name, label, passes },
    packing: [winogradPacking(problem, variant, tile), ...biasPacking(problem)],
    tables: spliceStore(problem, 1).tables,
  });
  const scratch = [
    { operand: 'values', bytes: size * values, least: values },
    { operand: 'products', bytes: size * products, least: products },
  ];
  return plan.passes.length === 0 ? plan : { ...plan, scratch };
}

interface Chunk {
  readonly variant: WinogradVariant;
  readonly label: string;
  readonly begin: number;
  readonly tiles: number;
}

function transformParams(problem: ConvProblem, { variant, begin, tiles }: Chunk): ParamsRecord {
  const { ic, ih, iw, oc, oh, ow, padTop, padLeft } = problem;
  const { tilesY, tilesX } = tileGrid(problem, variant);
  return {
    ...{ ih, iw, oh, ow, pad_top: padTop, pad_left: padLeft },
    ...{ tiles_y: tilesY, tiles_x: tilesX, tiles, tile_begin: begin },
    ...{ oc, src_quads: Math.ceil(ic / 4), dst_quads: Math.ceil(oc / 4) },
  };
}

function transformGrid(channels: number, { tiles }: Chunk, { limits }: GpuCapabilities) {
  const count = Math.ceil((tiles * Math.ceil(channels / 4)) / TRANSFORM_INVOCATIONS);
  return foldWorkgroups(count, limits.maxComputeWorkgroupsPerDimension);
}

function sourcePass(problem: ConvProblem, target: GpuCapabilities, chunk: Chunk): DispatchPass {
  const params = transformParams(problem, chunk);
  return {
    label: `${chunk.label}/source`,
    wgsl: winogradSourceWgsl(chunk.variant, paramsStruct(params)),
    bindings: [
      { operand: 'src', access: 'read' },
      { operand: 'values', access: 'read_write' },
    ],
    params: paramsBlock(params),
    workgroups: transformGrid(problem.ic, chunk, target),
  };
}

function productPass(
  problem: ConvProblem,
  target: GpuCapabilities,
  { variant, label, tiles }: Chunk,
  tile: GemmTile,
): DispatchPass {
  const product = productProblem(problem, variant, tiles);
  const configuration = { tile, splits: 1 };
  const rows = { rowBegin: 0, rows: tiles };
  const params = { ...gemmParams(product, configuration, rows), matrices: variant.products };
  const count = variant.products * params.row_blocks * params.n_tiles;
  return {
    label,
    wgsl: implicitGemmWgsl({
      ...{
        tile,
        params,
        paramsBinding: 3,
        kw: 1,
        pointwise: true,
        padded: false,
        gated: false,
        shortcut: false,
      },
      ...raggedness(params, tile),
      chain: gemmChain(product, configuration, variant.blockTerms),
      store: STORE_SUMS,
    }),
    bindings: [
      { operand: 'values', access: 'read' },
      { operand: 'weights', access: 'read' },
      { operand: 'products', access: 'read_write' },
    ],
    params: paramsBlock(params),
    workgroups: foldWorkgroups(count, target.limits.maxComputeWorkgroupsPerDimension),
  };
}

function outputPass(problem: ConvProblem, target: GpuCapabilities, chunk: Chunk): DispatchPass {
  const params = transformParams(problem, chunk);
  const store = spliceStore(problem, 1, 'parameters');
  const bindings = [
    { operand: 'products', access: 'read' },
    { operand: 'dst', access: 'read_write' },
    ...store.bindings,
  ] as const;
  return {
    label: `${chunk.label}/output`,
    wgsl: winogradOutputWgsl(chunk.variant, {
      ...{ params: paramsStruct(params), store: store.wgsl },
      paramsBinding: bindings.length,
    }),
    bindings,
    params: paramsBlock(params),
    workgroups: transformGrid(problem.oc, chunk, target),
  };
}
