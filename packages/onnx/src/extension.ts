/**
 * What the entry for browsers (`browser.ts`) leaves to `@onegpu/onnx/full`, so that a page loads 120 KB for networks of
 * floats: operators that few networks have, integers computed on the GPU, volumes, and what only makes things quicker.
 * `register.ts` puts it in place; whatever needs a part of it asks here, and refuses by name where it is absent.
 */
import {
  type GpuCapabilities,
  type GpuDevice,
  InvalidInputError,
  type UnsupportedNode,
  UnsupportedOperatorError,
} from '@onegpu/core';
import type { KernelOptions, MapProblem, MapRequest, Selection } from '@onegpu/kernels/core';
import type { ExecutionPlan, ExecutionRequest } from './execution-plan.ts';
import type { Graph, GraphNode } from './graph.ts';
import type { ProgressListener } from './load-progress.ts';
import type { ModelInput } from './model-source.ts';
import { NotBuiltError } from './not-built.ts';
import type { OperatorDefinition, ValueInfo } from './op-definition.ts';
import type { Fusion, ShapeProbe } from './passes/index.ts';
import type { profilePlan } from './profile.ts';
import type { TuneOption } from './tuning/session-tuning.ts';
import type { TuneModelOptions } from './tuning/tune-model.ts';
import type { TuneReport } from './tuning/tune-report.ts';

/** Makes the plans of one session. */
export interface Planner {
  /** @throws GpuKernelShapeError, GpuDeviceLostError */
  plan(request: ExecutionRequest): ExecutionPlan | Promise<ExecutionPlan>;
}

export interface Extension {
  /** Definitions beside those of the entry, as `operatorsByName` has them; one of the same name takes the other's place. */
  readonly operators: ReadonlyMap<string, OperatorDefinition>;
  /** Fusions for hardware adapters; `passes/fuse-launches.ts`. */
  fuseLaunches(graph: Graph, probes: readonly ShapeProbe[]): readonly Fusion[];
  /** Takes such a fused node apart where its extents ask for that; `split-fused.ts`. */
  splitFused(
    node: GraphNode,
    own: readonly number[],
    values: ReadonlyMap<string, ValueInfo>,
  ): readonly GraphNode[];
  /** Kernels for integers, bools and bits of floats. */
  planMap(request: MapRequest, target: GpuCapabilities, options: KernelOptions): PlannedMap;
  /** A planner that measures, and looks up what was measured before. */
  tuning(
    device: GpuDevice,
    option: Exclude<TuneOption, false>,
    onProgress: ProgressListener | undefined,
  ): Planner;
  readonly profilePlan: typeof profilePlan;
  tuneModel(source: ModelInput, options?: TuneModelOptions): Promise<TuneReport>;
}

export interface PlannedMap {
  readonly problem: MapProblem;
  readonly selection: Selection;
}

const ABSENT = 'the entry for browsers leaves this to "@onegpu/onnx/full"';
const REMEDY = 'Import "@onegpu/onnx/full" before the session is created.';

/** Operators of ONNX that only the extension has, so that a refusal can tell them from those that nobody has. */
const ADDED_OPERATORS: ReadonlySet<string> = new Set([
  'ConvInteger',
  'DeformConv',
  'DequantizeLinear',
  'DynamicQuantizeLinear',
  'LRN',
  'MatMulInteger',
  'MaxUnpool',
  'QLinearConv',
  'QLinearMatMul',
  'QuantizeLinear',
]);

let present: Extension | undefined;

/** Puts it in place, or takes it away, for every session from now on. */
export function extend(extension: Extension | undefined): void {
  present = extension;
}

/** Undefined in the entry for browsers, as long as nothing imported `@onegpu/onnx/full`. */
export function findExtension(): Extension | undefined {
  return present;
}

/** @throws NotBuiltError where it is absent; `got` is what operator `subject` was given in `field` */
export function extensionForNode(subject: string, field: string, got: string): Extension {
  if (present !== undefined) return present;
  throw new NotBuiltError(ABSENT, { subject, field, got });
}

/** @throws InvalidInputError where it is absent, for an option or a function that asks for it. */
export function extensionForOption(subject: string, field: string): Extension {
  if (present !== undefined) return present;
  throw new InvalidInputError(ABSENT, { subject, field, remedy: REMEDY });
}

/** Why an operator is refused of which only the extension has a definition; undefined for every other. */
export function absentOperator(opType: string): string | undefined {
  return present === undefined && ADDED_OPERATORS.has(opType) ? ABSENT : undefined;
}

/** The one error for nodes that cannot run, with the remedy where the extension has what all of them lack. */
export function unsupportedError(nodes: readonly UnsupportedNode[]): UnsupportedOperatorError {
  const absent = nodes.every(({ reason }) => reason.includes(ABSENT));
  return new UnsupportedOperatorError(nodes, absent ? { remedy: REMEDY } : {});
}

/**
 * Tunes a model ahead of its sessions; `tuning/tune-model.ts`.
 * @throws InvalidInputError where `@onegpu/onnx/full` was not imported, and as the tuning itself does
 */
export async function tuneModel(source: ModelInput, options?: TuneModelOptions): Promise<TuneReport> {
  return extensionForOption('tuneModel', '').tuneModel(source, options);
}
