/**
 * Holds a model against float64, node by node. Walks the model without fusions in topological order; every node that
 * the GPU computes runs alone, in a session of its own, on the values its inputs have in float64 (rounded to their type
 * after each node, so that one broken node does not spoil those behind it). Then the whole model, fused.
 */
import '../register.ts';
import { describeAdapter, type GpuDevice } from '@onegpu/core';
import { boundOfConv, chainTolerance, type Layout, type NumericMode } from '@onegpu/kernels';
import { AttributeReader } from '../attributes.ts';
import { planExecution } from '../execution-plan.ts';
import { type InputDims, resolveFeeds } from '../feeds.ts';
import type { Graph, GraphNode } from '../graph.ts';
import { isFloatType, readNumbers } from '../host/numbers.ts';
import { HostFeeds } from '../host-feeds.ts';
import { inferShapes, type ShapeInference } from '../infer-shapes.ts';
import type { ModelInput } from '../model-source.ts';
import { nodeLabel } from '../node-context.ts';
import type { ReferenceOutput } from '../op-definition.ts';
import { prepareModel } from '../prepare-model.ts';
import { InferenceSession } from '../session.ts';
import type { Tensor } from '../tensor.ts';
import { referenceOfType } from './half-reference.ts';
import { measureOutput, measureWithin } from './measure.ts';
import { type OneNodeModel, oneNodeModel } from './one-node.ts';
import { findReference } from './references.ts';
import { makeVerifyCase, roundedReference, type VerifyCase } from './verify-case.ts';
import type { VerifiedNode, VerifiedOutput, VerifyReport } from './verify-report.ts';

export interface VerifyOptions {
  readonly device: GpuDevice;
  readonly mode?: NumericMode;
  /** Extents that replace the model's own, as in `SessionOptions`. */
  readonly dims?: InputDims;
  /** Told after every node. */
  readonly onProgress?: (step: {
    readonly stage: string;
    readonly done: number;
    readonly total: number;
  }) => void;
}

export interface Verification {
  readonly report: VerifyReport;
  /** The first node past its bound as a case of its own. */
  readonly failure?: VerifyCase;
}

/** Tensors on the host, by name of the input. */
type HostTensors = Readonly<Record<string, Tensor>>;

/** @throws what `InferenceSession.create` and `run` throw for the model and the feeds */
export async function verifyModel(
  source: ModelInput,
  feeds: HostTensors,
  options: VerifyOptions,
): Promise<Verification> {
  const dims = options.dims === undefined ? {} : { dims: options.dims };
  const { graph, folded } = await prepareModel(source, { fusions: false, ...dims });
  const run = new Verifier(graph, folded, feeds, options);
  return run.verify(source);
}

class Verifier {
  readonly #graph: Graph;
  readonly #feeds: HostTensors;
  readonly #options: VerifyOptions;
  readonly #mode: NumericMode;
  readonly #inferred: ShapeInference;
  readonly #layouts: ReadonlyMap<string, Layout>;
  /** Values as the next nodes are fed them. */
  readonly #values = new Map<string, Tensor>();
  /** References of the graph's outputs. */
  readonly #outputs = new Map<string, ReferenceOutput>();
  readonly #rows: VerifiedNode[] = [];
  readonly #times = { referenceMs: 0, nodesMs: 0, wholeMs: 0 };
  #failure: VerifyCase | undefined;

  constructor(graph: Graph, folded: readonly GraphNode[], feeds: HostTensors, options: VerifyOptions) {
    this.#graph = graph;
    this.#feeds = feeds;
    this.#options = options;
    this.#mode = options.mode ?? 'fast';
    this.#inferred = inferFrom(graph, feeds);
    this.#layouts = layoutsInModel(graph, this.#inferred, options.device, this.#mode);
    for (const [name, tensor] of Object.entries(feeds)) this.#values.set(name, tensor);
    for (const [name, { constant }] of this.#inferred.values) {
      if (constant !== undefined) this.#values.set(name, constant);
    }
    for (const { name } of graph.outputs) {
      const tensor = this.#values.get(name);
      if (tensor !== undefined) this.#outputs.set(name, { kind: 'exact', tensor });
    }
    for (const node of folded) this.#rows.push(this.#hostRow(node));
  }

  async verify(source: ModelInput): Promise<Verification> {
    const { nodes, hostNodes } = this.#inferred;
    const onHost = new Set(hostNodes.map(({ node }) => node));
    const lastReads = lastReadsOf(nodes);
    for (const [position, node] of nodes.entries()) {
      this.#options.onProgress?.({ stage: `verify ${node.opType}`, done: position, total: nodes.length });
      this.#rows.push(onHost.has(node) ? this.#hostRow(node) : await this.#verifyNode(node));
      for (const name of lastReads.get(position) ?? []) this.#values.delete(name);
    }
    this.#options.onProgress?.({ stage: 'verify the whole model', done: nodes.length, total: nodes.length });
    const start = performance.now();
    const whole = await this.#verifyWhole(source, true);
    const agrees = whole.every((output) => output.passed);
    const unfused = agrees ? {} : { wholeUnfused: await this.#verifyWhole(source, false) };
    this.#times.wholeMs = performance.now() - start;
    const first = this.#rows.find((row) => !row.passed);
    const report: VerifyReport = {
      schema: 'onegpu-verify/1',
      adapter: describeAdapter(this.#options.device.capabilities),
      mode: this.#mode,
      inputs: Object.fromEntries(Object.entries(this.#feeds).map(([name, { dims }]) => [name, dims])),
      nodes: this.#rows,
      whole,
      ...unfused,
      ...(first === undefined ? {} : { firstPast: first.name }),
      passed: agrees && first === undefined,
      times: this.#times,
    };
    return this.#failure === undefined ? { report } : { report, failure: this.#failure };
  }

  #hostRow(node: GraphNode): VerifiedNode {
    const first = node.outputs[0] ?? '';
    return {
      index: this.#rows.length,
      name: node.name,
      operator: node.opType,
      runsOn: 'host',
      kernels: [],
      layout: 'nchw',
      dims: this.#inferred.values.get(first)?.dims ?? [],
      outputs: [],
      error: 0,
      bound: 0,
      share: 0,
      passed: true,
    };
  }

  async #verifyNode(node: GraphNode): Promise<VerifiedNode> {
    const start = performance.now();
    const references = this.#reference(node);
    const computed = performance.now();
    this.#times.referenceMs += computed - start;
    const request = { node, opset: this.#graph.opset, infos: this.#inferred.values, values: this.#values };
    const alone = oneNodeModel(request);
    const layout = this.#layouts.get(node.name) ?? 'nchw';
    const { results, kernels } = await this.#runAlone(alone, layout);
    this.#times.nodesMs += performance.now() - computed;
    const named = node.outputs.flatMap((name, index) => {
      const [reference, actual] = [references[index], results[name]];
      return name === '' || reference === undefined || actual === undefined
        ? []
        : [{ name, reference: referenceOfKernels(reference, kernels), actual }];
    });
    const outputs = named.map(({ name, actual, reference }) => measureOutput(name, actual, reference));
    for (const { name, reference } of named) {
      this.#values.set(name, roundedReference(reference));
      if (this.#graph.outputs.some((output) => output.name === name)) this.#outputs.set(name, reference);
    }
    const row = this.#row(node, { layout, kernels, outputs });
    if (!row.passed && this.#failure === undefined) {
      const adapter = describeAdapter(this.#options.device.capabilities);
      const rounded = named.map(({ reference }) => reference);
      this.#failure = makeVerifyCase(alone, rounded, row, { adapter, mode: this.#mode });
    }
    return row;
  }

  #row(node: GraphNode, run: Pick<VerifiedNode, 'layout' | 'kernels' | 'outputs'>): VerifiedNode {
    const [first] = run.outputs;
    const worst = run.outputs.reduce(
      (most, output) => (output.share > most.share ? output : most),
      first as VerifiedOutput,
    );
    return {
      index: this.#rows.length,
      name: node.name,
      operator: node.opType,
      runsOn: 'gpu',
      ...run,
      dims: first?.dims ?? [],
      error: worst.error,
      bound: worst.bound,
      share: worst.share,
      passed: run.outputs.every((output) => output.passed),
    };
  }

  #reference(node: GraphNode): readonly ReferenceOutput[] {
    const reference = findReference(node.domain, node.opType);
    if (reference === undefined) throw new Error(`${nodeLabel(node)} has no float64 reference`);
    const inputs = node.inputs.map((name) => {
      const constant = this.#values.get(name);
      return constant === undefined ? undefined : { type: constant.type, dims: constant.dims, constant };
    });
    const attributes = new AttributeReader(node);
    const outputs = reference({ node, opset: this.#graph.opset, attributes, inputs });
    return outputs.map((output, index) =>
      referenceOfType(output, this.#inferred.values.get(node.outputs[index] ?? '')?.type),
    );
  }

  async #runAlone(
    { model, feeds }: OneNodeModel,
    inputLayout: Layout,
  ): Promise<{ results: Readonly<Record<string, Tensor>>; kernels: readonly string[] }> {
    const { device } = this.#options;
    const session = await InferenceSession.create(model, {
      device,
      mode: this.#mode,
      fusions: false,
      inputLayout,
    });
    try {
      const results = await session.run(feeds);
      const dims = Object.fromEntries(Object.entries(feeds).map(([name, tensor]) => [name, tensor.dims]));
      const { steps } = await session.explain(dims);
      return { results, kernels: steps.flatMap((step) => step.labels) };
    } finally {
      await session.release();
    }
  }

  async #verifyWhole(source: ModelInput, fusions: boolean): Promise<readonly VerifiedOutput[]> {
    const { device, dims } = this.#options;
    const shapes = dims === undefined ? {} : { dims };
    const session = await InferenceSession.create(source, { device, mode: this.#mode, fusions, ...shapes });
    try {
      const results = await session.run(this.#feeds);
      return this.#graph.outputs.flatMap(({ name }) => {
        const [actual, reference] = [results[name], this.#outputs.get(name)];
        return actual === undefined || reference === undefined
          ? []
          : [this.#measureWhole(name, actual, reference)];
      });
    } finally {
      await session.release();
    }
  }

  /** The bound of an output is that of the chain of nodes behind it. */
  #measureWhole(name: string, actual: Tensor, reference: ReferenceOutput): VerifiedOutput {
    const bound = chainTolerance(this.#boundsBehind(name));
    if (bound === 0 || !isFloatType(actual.type)) return measureOutput(name, actual, reference);
    if (reference.kind === 'sum') return measureWithin(name, actual, { ...reference, bound });
    const values = Float64Array.from(readNumbers(reference.tensor));
    return measureWithin(name, actual, { dims: actual.dims, values, bound });
  }

  #boundsBehind(output: string): readonly number[] {
    const rows = new Map(this.#rows.map((row) => [row.name, row]));
    const makers = new Map(
      this.#inferred.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)),
    );
    const behind = new Set<GraphNode>();
    const open = [output];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const node = makers.get(name);
      if (node === undefined || behind.has(node)) continue;
      behind.add(node);
      open.push(...node.inputs.filter((input) => input !== ''));
    }
    return [...behind].map((node) => rows.get(node.name)?.bound ?? 0);
  }
}

/** Shapes and host values for these feeds, as a session plans them. */
function inferFrom(graph: Graph, feeds: HostTensors): ShapeInference {
  const inputs = resolveFeeds(graph, feeds);
  const hostFeeds = new HostFeeds(graph);
  for (;;) {
    try {
      return inferShapes(graph, hostFeeds.withValues(inputs, feeds));
    } catch (error) {
      if (!hostFeeds.learn(error, feeds)) throw error;
    }
  }
}

/** The layout in which each node gets its picture inside the model. */
function layoutsInModel(
  graph: Graph,
  inferred: ShapeInference,
  device: GpuDevice,
  mode: NumericMode,
): ReadonlyMap<string, Layout> {
  const { steps } = planExecution({
    graph: { ...graph, nodes: [...inferred.nodes] },
    values: inferred.values,
    capabilities: device.capabilities,
    mode,
    algorithms: new Map(),
  });
  return new Map(
    steps.flatMap(({ node, operands }) => {
      const packed = Object.values(operands).some(
        (operand) => 'tensor' in operand && operand.tensor.layout === 'nhwc4',
      );
      return node === undefined ? [] : [[node.name, packed ? 'nhwc4' : 'nchw'] as const];
    }),
  );
}

/** The values that are read for the last time at each position. */
function lastReadsOf(nodes: readonly GraphNode[]): ReadonlyMap<number, readonly string[]> {
  const last = new Map<string, number>();
  for (const [position, { inputs }] of nodes.entries()) for (const name of inputs) last.set(name, position);
  const reads = new Map<number, string[]>();
  for (const [name, position] of last) reads.set(position, [...(reads.get(position) ?? []), name]);
  return reads;
}

/** Sums are held to the bound of the kernels that made them. */
function referenceOfKernels(reference: ReferenceOutput, kernels: readonly string[]): ReferenceOutput {
  if (reference.kind !== 'sum') return reference;
  const [bound] = kernels.flatMap((label) => boundOfConv(label) ?? []);
  return { ...reference, sum: { ...reference.sum, ...bound } };
}
