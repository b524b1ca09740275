/**
 * From a graph and concrete shapes to a list of dispatches: every node that the host has not already evaluated is
 * lowered to a plan, its inputs brought into the layout it wants, reshapes become aliases. Pure data; the session
 * compiles and binds it.
 */
import type { DispatchPlan, GpuCapabilities, GpuElementType } from '@onegpu/core';
import { GpuKernelShapeError, storeNarrow } from '@onegpu/core';
import {
  type Layout,
  makeConvertLayoutProblem,
  type NumericMode,
  planConvertLayout,
  type Refusal,
} from '@onegpu/kernels/core';
import type { Graph, GraphNode } from './graph.ts';
import { contextOf, namingNode, nodeLabel } from './node-context.ts';
import type {
  LayoutChoice,
  LowerContext,
  Lowering,
  NodeContext,
  OperandSource,
  ValueInfo,
} from './op-definition.ts';
import { findOperator } from './ops/registry.ts';
import {
  gpuElementType,
  type StoredConstant,
  type StoredTensor,
  StoredTensors,
  storedConstant,
} from './stored-tensors.ts';
import type { ExecutionLayer } from './tuning/execution-layer.ts';
import type { TuningTable } from './tuning/tuning-table.ts';

export type StepOperand = { readonly tensor: StoredTensor } | { readonly constant: StoredConstant };

export interface ExecutionStep {
  /** The node lowered; undefined for a layout conversion. */
  readonly node: GraphNode | undefined;
  readonly covers: readonly string[];
  readonly plan: DispatchPlan;
  readonly operands: Readonly<Record<string, StepOperand>>;
  readonly refused: readonly Refusal[];
  /** Dims of the first output, as reports print them. */
  readonly dims: readonly number[];
  readonly layout: Layout;
  /** Other ways to run it, in `fast` mode with a tuning table. */
  readonly layer?: ExecutionLayer | undefined;
  /** Label of the plan that the rules choose, where a tuned choice took its place. */
  readonly tunedFrom?: string | undefined;
}

export interface ExecutionPlan {
  readonly steps: readonly ExecutionStep[];
  readonly tensors: readonly StoredTensor[];
  /** Storage of each fed input that some step reads, dense. */
  readonly inputs: ReadonlyMap<string, StoredTensor>;
  /** Storage of each output that the GPU computes, dense; the others are constants or host results. */
  readonly outputs: ReadonlyMap<string, StoredTensor>;
}

export interface ExecutionRequest {
  readonly graph: Graph;
  /** Type and dims of every value at these shapes; values known on the host carry their tensor. */
  readonly values: ReadonlyMap<string, ValueInfo>;
  readonly capabilities: GpuCapabilities;
  readonly mode: NumericMode;
  /**
   * Algorithm of each node by name, kept from the first shape a session planned so that a new picture size compiles
   * nothing on a software adapter, where that takes seconds; new choices are added. Hardware takes what runs best for
   * each shape, `deterministic` mode what the shape alone decides.
   */
  readonly algorithms: Map<string, string>;
  /** What was measured on this adapter; comes before the rules. `deterministic` mode does not look at it. */
  readonly tuning?: TuningTable | undefined;
  /** Layout to take fed float32 inputs of rank 3 and 4 in; they are converted. Default `nchw`, as they are fed. */
  readonly inputLayout?: Layout;
}

/** @throws GpuKernelShapeError when a node cannot be lowered for these shapes. */
export function planExecution(request: ExecutionRequest): ExecutionPlan {
  return new ExecutionPlanner(request).plan();
}

class ExecutionPlanner {
  readonly #request: ExecutionRequest;
  readonly #stored = new StoredTensors();
  readonly #steps: ExecutionStep[] = [];
  readonly #inputs = new Map<string, StoredTensor>();

  constructor(request: ExecutionRequest) {
    this.#request = request;
  }

  plan(): ExecutionPlan {
    const { graph } = this.#request;
    for (const input of graph.inputs) {
      if (this.#info(input.name).constant !== undefined) continue;
      if (!this.#isRead(input.name)) continue;
      this.#inputs.set(input.name, this.#stored.create(input.name, this.#info(input.name), 'nchw'));
    }
    for (const node of graph.nodes) this.#lowerNode(node);
    const outputs = new Map<string, StoredTensor>();
    for (const output of graph.outputs) {
      if (this.#info(output.name).constant !== undefined) continue;
      outputs.set(output.name, this.#bring(output.name, 'nchw'));
    }
    return { steps: this.#steps, tensors: this.#stored.all, inputs: this.#inputs, outputs };
  }

  #isRead(value: string): boolean {
    const { graph } = this.#request;
    const reads = graph.nodes.some((node) => node.inputs.includes(value) || node.epilogue.residual === value);
    return reads || graph.outputs.some((output) => output.name === value);
  }

  #lowerNode(node: GraphNode): void {
    const made = node.outputs.filter((output) => output !== '');
    if (made.every((output) => this.#info(output).constant !== undefined)) return;
    const definition = findOperator(node.domain, node.opType);
    if (definition?.lower === undefined) {
      throw new GpuKernelShapeError(
        'the operator runs on the host only and its inputs are not known while planning',
        {
          subject: nodeLabel(node),
          field: 'inputs',
          got: 'a value computed on the GPU',
          expected: 'constants or shape arithmetic',
        },
      );
    }
    const context = contextOf(node, this.#request.graph.opset, this.#request.values);
    const layouts = this.#chooseLayouts(context, node);
    const lowered = namingNode(node, () =>
      this.#lower(node, {
        ...context,
        outputs: node.outputs.map((output) => this.#infoOrEmpty(output)),
        layouts,
        capabilities: this.#request.capabilities,
        mode: this.#request.mode,
        algorithm: this.#keptAlgorithm(node),
        activation: node.epilogue.activation,
        residual: node.epilogue.residual !== '',
      }),
    );
    if (lowered.kind === 'alias') this.#alias(node, lowered.input);
    else this.#dispatch(node, lowered, layouts);
  }

  #keptAlgorithm(node: GraphNode): string | undefined {
    const { mode, capabilities, algorithms } = this.#request;
    return mode === 'fast' && capabilities.software ? algorithms.get(node.name) : undefined;
  }

  /** Lowers with the algorithm kept from an earlier shape; where that one cannot take this shape, chooses anew. */
  #lower(node: GraphNode, context: LowerContext): Lowering {
    const definition = findOperator(node.domain, node.opType);
    const lower = (withContext: LowerContext): Lowering => definition?.lower?.(withContext) as Lowering;
    if (context.algorithm === undefined) return lower(context);
    try {
      return lower(context);
    } catch (error) {
      if (!(error instanceof GpuKernelShapeError) || error.details.field !== 'algorithm') throw error;
      return lower({ ...context, algorithm: undefined });
    }
  }

  #chooseLayouts(context: NodeContext, node: GraphNode): LayoutChoice {
    const definition = findOperator(node.domain, node.opType);
    const available = node.inputs.map((input): Layout => this.#preferredLayout(input));
    return (
      definition?.layouts?.(context, available) ?? {
        inputs: node.inputs.map(() => 'nchw'),
        outputs: node.outputs.map(() => 'nchw'),
      }
    );
  }

  /** The layout a value was written in; `nhwc4` where it lies in both. */
  #preferredLayout(value: string): Layout {
    if (this.#request.inputLayout === 'nhwc4' && this.#inputs.has(value)) {
      const { type, dims } = this.#info(value);
      if (type === 'float32' && (dims.length === 3 || dims.length === 4)) return 'nhwc4';
    }
    return this.#stored.find(value, 'nhwc4') === undefined ? 'nchw' : 'nhwc4';
  }

  #alias(node: GraphNode, input: number): void {
    const source = this.#bring(node.inputs[input] ?? '', 'nchw');
    const output = node.outputs[0] ?? '';
    this.#stored.alias(output, source, this.#info(output).dims);
  }

  #dispatch(node: GraphNode, lowered: Extract<Lowering, { kind: 'dispatch' }>, layouts: LayoutChoice): void {
    this.#request.algorithms.set(node.name, lowered.plan.algorithm);
    const types = this.#operandTypes(node, lowered.operands);
    const layer = this.#layerOf(lowered, types);
    const tuned = layer === undefined ? undefined : this.#request.tuning?.entry(layer);
    const plan = tuned === undefined ? lowered.plan : (lowered.layer?.plan(tuned) ?? lowered.plan);
    const operands: Record<string, StepOperand> = {};
    // Inputs first: bringing one into another layout adds a step of its own before this one.
    for (const [operand, source] of Object.entries(lowered.operands)) {
      if (!('output' in source)) operands[operand] = this.#operand(node, plan, { operand, source, layouts });
    }
    for (const [operand, source] of Object.entries(lowered.operands)) {
      if (!('output' in source)) continue;
      const value = node.outputs[source.output] ?? '';
      const layout = layouts.outputs[source.output] ?? 'nchw';
      operands[operand] = { tensor: this.#stored.create(value, this.#info(value), layout) };
    }
    const first = node.outputs[0] ?? '';
    const { capabilities } = this.#request;
    this.#steps.push({
      node,
      covers: node.covers,
      plan: storeNarrow(plan, types, capabilities),
      operands,
      refused: lowered.refused,
      dims: this.#info(first).dims,
      layout: layouts.outputs[0] ?? 'nchw',
      layer,
      tunedFrom:
        plan.label === lowered.plan.label ? undefined : storeNarrow(lowered.plan, types, capabilities).label,
    });
  }

  #layerOf(
    { layer }: Extract<Lowering, { kind: 'dispatch' }>,
    types: Readonly<Record<string, GpuElementType>>,
  ): ExecutionLayer | undefined {
    const { mode, capabilities, tuning } = this.#request;
    return mode === 'fast' && layer !== undefined ? tuning?.layer(layer, types, capabilities) : undefined;
  }

  #operandTypes(
    node: GraphNode,
    operands: Readonly<Record<string, OperandSource>>,
  ): Readonly<Record<string, GpuElementType>> {
    const types = Object.entries(operands).map(([operand, source]) => {
      const value = operandValue(node, source);
      return [operand, gpuElementType(this.#info(value).type, value)] as const;
    });
    return Object.fromEntries(types);
  }

  #operand(
    node: GraphNode,
    plan: DispatchPlan,
    request: { operand: string; source: OperandSource; layouts: LayoutChoice },
  ): StepOperand {
    const { operand, source, layouts } = request;
    const value = operandValue(node, source);
    const layout =
      'residual' in source
        ? (layouts.outputs[0] ?? 'nchw')
        : 'input' in source
          ? (layouts.inputs[source.input] ?? 'nchw')
          : 'nchw';
    const { constant } = this.#info(value);
    if (constant === undefined) return { tensor: this.#bring(value, layout) };
    const packing = plan.packing.find((entry) => entry.operand === operand);
    const scope = this.#request.graph.constants.has(value) ? 'model' : 'plan';
    return { constant: storedConstant({ value, tensor: constant, scope, layout, packing }) };
  }

  /** The storage of a computed value in the wanted layout, converted by a step of its own where it is not there. */
  #bring(value: string, layout: Layout): StoredTensor {
    const found = this.#stored.find(value, layout);
    if (found !== undefined) return found;
    const from: Layout = layout === 'nchw' ? 'nhwc4' : 'nchw';
    const source = this.#stored.find(value, from);
    const info = this.#info(value);
    if (source === undefined) {
      throw new GpuKernelShapeError('the value was never computed', {
        subject: 'ExecutionPlan',
        field: value,
      });
    }
    const problem = makeConvertLayoutProblem(info.dims, layout);
    const plan = planConvertLayout(problem, this.#request.capabilities);
    const target = this.#stored.create(value, info, layout);
    const operands = { src: { tensor: source }, dst: { tensor: target } };
    this.#steps.push({
      node: undefined,
      covers: [],
      plan: storeNarrow(plan, { src: source.type, dst: target.type }, this.#request.capabilities),
      operands,
      refused: [],
      dims: info.dims,
      layout,
    });
    return target;
  }

  #info(value: string): ValueInfo {
    const info = this.#request.values.get(value);
    if (info === undefined) {
      throw new GpuKernelShapeError('the value has no inferred type', {
        subject: 'ExecutionPlan',
        field: value,
      });
    }
    return info;
  }

  #infoOrEmpty(value: string): ValueInfo {
    return value === '' ? { type: 'float32', dims: [0] } : this.#info(value);
  }
}

/** Name of the value that an operand of the node's plan is. */
function operandValue(node: GraphNode, source: OperandSource): string {
  if ('residual' in source) return node.epilogue.residual;
  return ('input' in source ? node.inputs[source.input] : node.outputs[source.output]) ?? '';
}
