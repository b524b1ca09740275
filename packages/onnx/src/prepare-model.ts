/**
 * Everything about a model that does not depend on the shapes of a run: read, checked for support, constants
 * folded, nodes fused.
 */
import { type GpuCapabilities, UnsupportedOperatorError } from '@onegpu/core';
import { checkBuilt } from './check-built.ts';
import { checkSupport } from './check-support.ts';
import { foldConstants } from './constant-folding.ts';
import { findExtension } from './extension.ts';
import { type InputDims, resolveDims } from './feeds.ts';
import type { Graph, GraphNode, GraphValue } from './graph.ts';
import { inferShapes } from './infer-shapes.ts';
import { type LoadOptions, loadModel } from './load-model.ts';
import type { ModelInput } from './model-source.ts';
import type { ValueInfo } from './op-definition.ts';
import { type Fusion, optimizeGraph, type ShapeProbe } from './passes/index.ts';

export interface PreparedModel {
  readonly graph: Graph;
  /** Path or address, or `bytes`. */
  readonly source: string;
  /** Whether `@onegpu/onnx/full` was there when it was prepared. */
  readonly entry: 'browser' | 'full';
  /** What fusion did. */
  readonly fusions: readonly Fusion[];
  readonly nodesBeforeFusion: number;
  /** Nodes evaluated while loading, before fusion; their outputs are constants. */
  readonly folded: readonly GraphNode[];
  /** ONNX operator of each node of the model by name, as it was before fusion. */
  readonly operators: ReadonlyMap<string, string>;
}

export interface PrepareModelOptions extends LoadOptions {
  /** Shapes that replace the model's own, fixed extents included. */
  readonly dims?: InputDims;
  readonly fusions?: boolean | 'all' | 'portable' | undefined;
}

/** @throws InvalidModelError, UnsupportedOperatorError listing every node that cannot run */
export async function prepareModel(
  input: ModelInput,
  options: PrepareModelOptions = {},
): Promise<PreparedModel> {
  const loaded = await loadModel(input, options);
  checkSupport(loaded.graph, loaded.unsupported);
  const graph = overrideInputs(loaded.graph, options.dims ?? {});
  const operators = new Map(graph.nodes.map((node) => [node.name, node.opType]));
  const folded = foldConstants(graph);
  const entry = findExtension() === undefined ? 'browser' : 'full';
  if (options.fusions === false) {
    checkTypes(graph);
    const nodesBeforeFusion = graph.nodes.length;
    return { graph, source: loaded.source, entry, fusions: [], nodesBeforeFusion, folded, operators };
  }
  const report = optimizeGraph(graph, { probes: shapeProbes(graph) });
  foldConstants(graph);
  checkTypes(graph);
  return {
    graph,
    source: loaded.source,
    entry,
    fusions: report.fusions,
    nodesBeforeFusion: report.nodesBefore,
    folded,
    operators,
  };
}

/** The model with the fusions that suit the adapter, `all` of them, or none. */
export function forAdapter(
  model: PreparedModel,
  { software }: Pick<GpuCapabilities, 'software'>,
  fusions: boolean | 'all' | 'portable' = true,
): PreparedModel {
  return fusions === 'all' || (fusions === true && !software) ? withFewerLaunches(model) : model;
}

/** The model for hardware adapters, with fewer dispatches; as it is where nothing brought those fusions (`extension.ts`). */
export function withFewerLaunches(model: PreparedModel): PreparedModel {
  const fused = findExtension()?.fuseLaunches(model.graph, shapeProbes(model.graph)) ?? [];
  return { ...model, fusions: [...model.fusions, ...fused] };
}

/** The graph with fixed extents that the caller's shapes contradict set free. */
function overrideInputs(graph: Graph, dims: InputDims): Graph {
  const inputs = graph.inputs.map((input): GraphValue => {
    const wanted = dims[input.name];
    if (wanted === undefined || input.dims === undefined || wanted.length !== input.dims.length) return input;
    const freed = input.dims.map((extent, axis) =>
      typeof extent === 'number' && extent !== wanted[axis] ? `${input.name}.${axis}` : extent,
    );
    return { ...input, dims: freed };
  });
  return { ...graph, inputs };
}

/**
 * Shape inferences at two sets of extents that differ in every free one, multiples of 32 as detection models ask
 * for. A set that the model refuses gives no probe.
 */
function shapeProbes(graph: Graph): ShapeProbe[] {
  if (graph.inputs.some((input) => input.dims === undefined)) return []; // Not even the ranks are known.
  const probes = PROBE_SETS.map((set) => {
    try {
      const values = probe(graph, set);
      return (value: string) => values.get(value);
    } catch {
      return undefined;
    }
  });
  return probes.every((probe) => probe !== undefined) ? probes : [];
}

const PROBE_SETS = [
  { batch: 1, sides: [64, 96] },
  { batch: 3, sides: [128, 160] },
] as const;

type ProbeSet = (typeof PROBE_SETS)[number];

function probe(graph: Graph, set: ProbeSet): ReadonlyMap<string, ValueInfo> {
  const dims = Object.fromEntries(graph.inputs.map((input) => [input.name, probeDims(input, set)]));
  return inferShapes(graph, resolveDims(graph, dims)).values;
}

/** Of a graph whose constants are folded. @throws UnsupportedOperatorError for element types and ranks that are not built. */
export function checkTypes(graph: Graph): void {
  let values: ReadonlyMap<string, ValueInfo>;
  try {
    values = probe(graph, PROBE_SETS[0]);
  } catch (error) {
    if (error instanceof UnsupportedOperatorError) throw error;
    return; // The extents of the probe do not suit the model; a run's own will be checked.
  }
  checkBuilt(graph, values);
}

function probeDims(input: GraphValue, set: ProbeSet): number[] {
  return (input.dims ?? []).map((extent, axis) => {
    if (typeof extent === 'number') return extent;
    return axis === 0 ? set.batch : (set.sides[axis % 2] ?? 64);
  });
}
