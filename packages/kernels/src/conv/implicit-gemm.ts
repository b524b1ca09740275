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
import { maskLanesWgsl } from '../shared/prelude.ts';
import { chunkRanges, scratchChunks } from '../shared/scratch-chunks.ts';
import { ADD_SPLITS_INVOCATIONS, addSplitsWgsl } from './add-splits.wgsl.ts';
import { spliceGate } from './gate.ts';
import { configurationsFor } from './gemm-rule.ts';
import { configurationName, fitsDevice, type GemmConfiguration, parseConfiguration } from './gemm-tile.ts';
import type { RowRange } from './im2col.ts';
import { implicitGemmWgsl } from './implicit-gemm.wgsl.ts';
import { tiledPacking } from './pack-weights.ts';
import {
  biasPacking,
  CONV_BINDINGS,
  convLabel,
  convParams,
  convPlan,
  needsConstantWeights,
  needsLayout,
} from './plan.ts';
import { type ConvProblem, convPixels, isUnpadded } from './problem.ts';
import { shortcutPacking, spliceShortcut } from './shortcut.ts';
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
      addSplitsPass(problem, target, { splits, label: `${label}/add`, range }),
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

function hardwareOnly(target: GpuCapabilities): string | undefined {
  return target.software ? 'barriers and workgroup memory are costly on a software adapter' : undefined;
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
  return needsLayout(problem, 'nhwc4') ?? needsConstantWeights(problem);
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
  { configuration: { tile, splits }, label, range }: GemmPassParts,
): DispatchPass {
  const { kh, kw, strideH, strideW, dilationH, dilationW } = problem;
  const dstQuads = Math.ceil(problem.oc / 4);
  const store = spliceStore(problem, 2);
  const whole = splits === 1;
  const partialBindings = CONV_BINDINGS.map((binding) =>
    binding.operand === 'dst' ? { operand: 'scratch', access: binding.access } : binding,
  );
  const own = whole ? [...CONV_BINDINGS, ...store.bindings] : partialBindings;
  const gate = spliceGate(problem, own.length);
  const second = spliceShortcut(problem, own.length + gate.bindings.length);
  const bindings = [...own, ...gate.bindings, ...second.bindings];
  const rowBlocks = Math.ceil((range?.rows ?? convPixels(problem)) / tile.tileM);
  const count = rowBlocks * Math.ceil((dstQuads * 4) / tile.tileN) * splits;
  return {
    label,
    wgsl: implicitGemmWgsl({
      ...{ tile, kh, kw, strideH, strideW, dilationH, dilationW, dstQuads, splits },
      srcQuads: Math.ceil(problem.ic / 4),
      shortcut: problem.shortcut,
      padded: !isUnpadded(problem),
      rows: range === undefined ? 'all' : 'range',
      paramsBinding: bindings.length,
      gated: problem.gate,
      store: gate.wgsl + second.wgsl + (whole ? store.wgsl : STORE_PARTIAL),
    }),
    bindings,
    params: convParams(problem, { rowBlocks, ...range }),
    workgroups: foldWorkgroups(count, target.limits.maxComputeWorkgroupsPerDimension),
  };
}

/** Partial sums [SPLITS, rows, DST_QUADS]. */
const STORE_PARTIAL = `@group(0) @binding(2) var<storage, read_write> partial_sums: array<vec4f>;
fn store(value: vec4f, m: u32, quad: u32) {
  partial_sums[m * DST_QUADS + quad] = value;
}`;

function addSplitsPass(
  problem: ConvProblem,
  target: GpuCapabilities,
  { splits, label, range }: Omit<GemmPassParts, 'configuration'> & { readonly splits: number },
): DispatchPass {
  const epilogue = spliceEpilogue(problem.epilogue, 'vec4f', 2);
  const dstQuads = Math.ceil(problem.oc / 4);
  const bindings = [
    { operand: 'scratch', access: 'read' },
    { operand: 'dst', access: 'read_write' },
    ...epilogue.bindings,
  ] as const;
  const count = Math.ceil(((range?.rows ?? convPixels(problem)) * dstQuads) / ADD_SPLITS_INVOCATIONS);
  return {
    label,
    wgsl: addSplitsWgsl({
      ...{ splits, dstQuads, rows: range === undefined ? 'all' : 'range' },
      paramsBinding: bindings.length,
      epilogue: `${epilogue.wgsl}\n${maskLanesWgsl(problem.oc)}`,
    }),
    bindings,
    params: convParams(problem, range),
    workgroups: foldWorkgroups(count, target.limits.maxComputeWorkgroupsPerDimension),
  };
}
