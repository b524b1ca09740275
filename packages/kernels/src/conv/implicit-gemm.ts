/**
 * Plans of the implicit GEMM: one dispatch where a workgroup makes an output tile alone, or split-k (several
 * workgroups share a tile, a second dispatch adds their partial sums in order and applies the epilogue). The
 * configuration is the rule's, or the one asked for by name.
 */
import {
  type DispatchPass,
  type DispatchPlan,
  foldWorkgroups,
  type GpuCapabilities,
  GpuKernelShapeError,
} from '@onegpu/core';
import type { Algorithm, KernelOptions } from '../shared/algorithm.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { floatBits } from '../shared/float-bits.ts';
import { hardwareOnly } from '../shared/hardware-only.ts';
import { paramsBlock } from '../shared/params-block.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { chunkRanges, scratchChunks } from '../shared/scratch-chunks.ts';
import { ADD_SPLITS_INVOCATIONS, addSplitsWgsl } from './add-splits.wgsl.ts';
import { needsNoGate, spliceGate } from './gate.ts';
import { configurationsFor } from './gemm-rule.ts';
import {
  configurationName,
  fitsDevice,
  type GemmConfiguration,
  type GemmTile,
  parseConfiguration,
} from './gemm-tile.ts';
import type { RowRange } from './im2col.ts';
import { type Chain, chainOf, type ImplicitGemmSpec, implicitGemmWgsl } from './implicit-gemm.wgsl.ts';
import { shortcutPacking, tiledPacking } from './pack-weights.ts';
import {
  biasPacking,
  CONV_BINDINGS,
  convLabel,
  convPlan,
  needsConstantWeights,
  needsLayout,
} from './plan.ts';
import { type ConvProblem, convPixels, gemmQuads, isUnpadded } from './problem.ts';
import { type ConvShortcut, spliceShortcut } from './shortcut.ts';
import { spliceStore } from './store.ts';

/** Configurations to choose from, the best first; none where no tile fits the device. */
export type ConfigurationRule = (
  problem: ConvProblem,
  target: GpuCapabilities,
) => readonly GemmConfiguration[];

export const implicitGemm: Algorithm<ConvProblem> = implicitGemmOf('implicit-gemm', (problem, target) =>
  configurationsFor(problem, target).filter(({ splits }) => splits === 1),
);

export const splitK: Algorithm<ConvProblem> = implicitGemmOf('split-k', (problem, target) =>
  configurationsFor(problem, target).filter(({ splits }) => splits > 1),
);

/** An implicit GEMM with a rule of one's own; tests use it for small twins of the large tiles. */
export function implicitGemmOf(name: string, rule: ConfigurationRule): Algorithm<ConvProblem> {
  return {
    name,
    reject: (problem, target) => hardwareOnly(target) ?? notTheBest(problem, target, rule),
    impossible: (problem, target) => impossible(problem, rule(problem, target)),
    configurations: (problem, target) => rule(problem, target).map(configurationName),
    plan: (problem, target, options) => {
      const configuration = chosenConfiguration(rule(problem, target), target, options);
      return configuration.splits === 1
        ? wholePlan(problem, target, { name, configuration })
        : splitPlan(problem, target, { name, configuration }, options);
    },
  };
}

interface Planned {
  readonly name: string;
  readonly configuration: GemmConfiguration;
}

function wholePlan(problem: ConvProblem, target: GpuCapabilities, planned: Planned): DispatchPlan {
  const { name, configuration } = planned;
  const label = convLabel(problem, name, configurationName(configuration));
  const passes = [gemmPass(problem, target, { configuration, label })];
  return gemmPlan(problem, { name, label, configuration, passes });
}

function splitPlan(
  problem: ConvProblem,
  target: GpuCapabilities,
  { name, configuration }: Planned,
  options: KernelOptions,
): DispatchPlan {
  const label = convLabel(problem, name, configurationName(configuration));
  const pixels = convPixels(problem);
  const { splits } = configuration;
  const rowBytes = splitRowBytes(problem, splits);
  const { size, bytes } = scratchChunks({
    ...{ label, units: pixels, unitBytes: rowBytes, given: options.scratchBytes },
    most: target.limits.maxStorageBufferBindingSize,
  });
  const passes = chunkRanges(pixels, size).flatMap(({ begin, count }) => {
    const range = count === pixels ? undefined : { rowBegin: begin, rows: count };
    return [
      gemmPass(problem, target, { configuration, label, range }),
      addSplitsPass(problem, target, { configuration, label: `${label}/add`, range }),
    ];
  });
  return gemmPlan(problem, {
    ...{ name, label, configuration, passes },
    scratch: { bytes, least: rowBytes },
  });
}

/** The configuration asked for, else the rule's first. @throws GpuKernelShapeError for a name that is none here */
export function chosenConfiguration(
  choices: readonly GemmConfiguration[],
  { limits }: GpuCapabilities,
  { configuration: wanted }: KernelOptions,
): GemmConfiguration {
  const [first] = choices;
  if (first === undefined) throw new RangeError('planned an algorithm that is impossible here');
  if (wanted === undefined) return first;
  const parsed = parseConfiguration(wanted);
  const ofThis = parsed !== undefined && parsed.splits > 1 === first.splits > 1;
  if (ofThis && fitsDevice(parsed.tile, limits)) return parsed;
  throw new GpuKernelShapeError('this is no configuration of the algorithm', {
    subject: 'Conv',
    field: 'configuration',
    got: wanted,
    expected: `a name such as ${choices.slice(0, 3).map(configurationName).join(', ')}`,
  });
}

/** Partial sums of one output pixel. */
function splitRowBytes(problem: ConvProblem, splits: number): number {
  return splits * Math.ceil(problem.oc / 4) * 16;
}

/** Why the other algorithm of this family is the better one. */
function notTheBest(
  problem: ConvProblem,
  target: GpuCapabilities,
  rule: ConfigurationRule,
): string | undefined {
  const [best] = configurationsFor(problem, target);
  const [own] = rule(problem, target);
  if (best === undefined || own === undefined || best.splits > 1 === own.splits > 1) return undefined;
  return `${configurationName(best)} keeps the device busier than ${configurationName(own)}`;
}

function impossible(problem: ConvProblem, choices: readonly GemmConfiguration[]): string | undefined {
  if (problem.groups !== 1) return `${problem.groups} groups, written for one`;
  if (choices.length === 0) return 'no tile, or no partial sums, fit the limits of this device';
  const refusal = needsLayout(problem, 'nhwc4') ?? needsConstantWeights(problem);
  return refusal ?? (problem.planes ? needsNoGate(problem) : undefined);
}

interface GemmPlanParts {
  readonly name: string;
  readonly label: string;
  readonly configuration: GemmConfiguration;
  readonly passes: readonly DispatchPass[];
  readonly scratch?: { readonly bytes: number; readonly least: number };
}

function gemmPlan(problem: ConvProblem, parts: GemmPlanParts): DispatchPlan {
  const { name, label, configuration, passes, scratch } = parts;
  const { tile } = configuration;
  const packing = [
    tiledPacking(problem, tile.tileK, tile.tileN),
    ...shortcutPacking(problem, tile.tileK, tile.tileN),
    ...biasPacking(problem),
  ];
  const { tables } = spliceEpilogue(problem.epilogue, 'vec4f', 2);
  return convPlan(problem, {
    ...{ algorithm: name, label, passes, packing, tables },
    ...(scratch === undefined ? {} : { scratch }),
  });
}

interface GemmPassParts {
  readonly configuration: GemmConfiguration;
  readonly label: string;
  /** Output pixels the pass makes; all of them by default. */
  readonly range?: RowRange | undefined;
}

function gemmPass(
  problem: ConvProblem,
  target: GpuCapabilities,
  { configuration, label, range }: GemmPassParts,
): DispatchPass {
  const { tile, splits } = configuration;
  const store = spliceStore(problem, 2, 'parameters');
  const whole = splits === 1;
  const partialBindings = CONV_BINDINGS.map((binding) =>
    binding.operand === 'dst' ? { operand: 'scratch', access: binding.access } : binding,
  );
  const own = whole ? [...CONV_BINDINGS, ...store.bindings] : partialBindings;
  const gate = spliceGate(problem, own.length);
  const second = spliceShortcut(problem, own.length + gate.bindings.length);
  const bindings = [...own, ...gate.bindings, ...second.bindings];
  const params = gemmParams(problem, configuration, range);
  const count = params.row_blocks * params.n_tiles * splits;
  const chain = gemmChain(problem, configuration);
  return {
    label,
    wgsl: implicitGemmWgsl({
      ...{ tile, params, paramsBinding: bindings.length },
      kw: problem.kw,
      pointwise: problem.kh * problem.kw === 1,
      padded: !isUnpadded(problem),
      chain,
      ...raggedness(params, tile),
      gated: problem.gate,
      planes: problem.planes ? { count: problem.ic, kh: problem.kh, kw: problem.kw } : undefined,
      shortcut: problem.shortcut !== undefined,
      store: gate.wgsl + second.wgsl + (whole ? store.wgsl : STORE_SUMS),
    }),
    bindings,
    params: paramsBlock(params),
    workgroups: foldWorkgroups(count, target.limits.maxComputeWorkgroupsPerDimension),
  };
}

/** Parameters of both passes, by their names in WGSL; `matrices` is 1. */
export function gemmParams(problem: ConvProblem, configuration: GemmConfiguration, range?: RowRange) {
  const { tile, splits } = configuration;
  const { rows, rowBegin } = range ?? { rows: convPixels(problem), rowBegin: 0 };
  const srcQuads = Math.ceil(problem.ic / 4);
  const shortcut = problem.shortcut === undefined ? 0 : Math.ceil(problem.shortcut.ic / 4);
  const { srcTiles, shortcutTiles } = gemmChain(problem, configuration);
  const { ih, iw, oh, ow, oc, strideH, strideW, dilationH, dilationW, padTop, padLeft } = problem;
  return {
    ...{ ih, iw, oh, ow, oc, rows },
    ...{ pad_top: padTop, pad_left: padLeft, row_begin: rowBegin },
    ...{ stride_h: strideH, stride_w: strideW, dilation_h: dilationH, dilation_w: dilationW },
    row_blocks: Math.ceil(rows / tile.tileM),
    n_tiles: Math.ceil(oc / tile.tileN),
    src_quads: srcQuads,
    src_quads_inverse: floatBits(1 / Math.max(1, srcQuads)),
    dst_quads: Math.ceil(oc / 4),
    all_quads: gemmQuads(problem),
    ...{ splits, matrices: 1, k_tiles: srcTiles },
    ...shortcutParams(problem.shortcut, { quads: shortcut, tiles: shortcutTiles }),
  };
}

/** Whether the last tiles of k and n are part empty. */
export function raggedness(
  { all_quads, dst_quads }: { readonly all_quads: number; readonly dst_quads: number },
  { tileK, tileN }: GemmTile,
): Pick<ImplicitGemmSpec, 'raggedK' | 'raggedN'> {
  return { raggedK: (4 * all_quads) % tileK !== 0, raggedN: (4 * dst_quads) % tileN !== 0 };
}

export function gemmChain(
  problem: ConvProblem,
  configuration: GemmConfiguration,
  blockTerms?: number,
): Chain {
  const shortcut = Math.ceil((problem.shortcut?.ic ?? 0) / 4);
  return chainOf(configuration, { src: gemmQuads(problem), shortcut }, blockTerms);
}

function shortcutParams(
  shortcut: ConvShortcut | undefined,
  { quads, tiles }: { readonly quads: number; readonly tiles: number },
) {
  if (shortcut === undefined) return {};
  const { ih, iw, strideH, strideW } = shortcut;
  return {
    ...{ shortcut_ih: ih, shortcut_iw: iw, shortcut_quads: quads, shortcut_tiles: tiles },
    ...{ shortcut_stride_h: strideH, shortcut_stride_w: strideW },
  };
}

/** Sums as they are, [parts, rows, dst_quads]. */
export const STORE_SUMS = `@group(0) @binding(2) var<storage, read_write> partial_sums: array<vec4f>;
fn store(value: vec4f, m: u32, quad: u32) {
  partial_sums[m * params.dst_quads + quad] = value;
}`;

function addSplitsPass(
  problem: ConvProblem,
  target: GpuCapabilities,
  { configuration, label, range }: GemmPassParts,
): DispatchPass {
  const epilogue = spliceEpilogue(problem.epilogue, 'vec4f', 2);
  const bindings = [
    { operand: 'scratch', access: 'read' },
    { operand: 'dst', access: 'read_write' },
    ...epilogue.bindings,
  ] as const;
  const params = gemmParams(problem, configuration, range);
  const count = Math.ceil((params.rows * params.dst_quads) / ADD_SPLITS_INVOCATIONS);
  return {
    label,
    wgsl: addSplitsWgsl({
      params,
      paramsBinding: bindings.length,
      epilogue: `${epilogue.wgsl}\n${maskLanesWgsl('params.oc')}`,
    }),
    bindings,
    params: paramsBlock(params),
    workgroups: foldWorkgroups(count, target.limits.maxComputeWorkgroupsPerDimension),
  };
}
