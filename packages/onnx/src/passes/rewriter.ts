/**
 * The view of a graph that fusion passes work on: who produces a value, who reads it, and replacement of nodes by
 * another one in place. A replacement takes the position of the last node it replaces, so every value it reads is
 * computed before it and topological order is kept without sorting.
 */
import type { Graph, GraphNode } from '../graph.ts';
import { EMPTY_EPILOGUE } from '../graph.ts';
import { Tensor } from '../tensor.ts';
import { type ShapeProbe, ValueFacts } from './value-facts.ts';

/** One rewrite, for `explain`. */
export interface Fusion {
  /** Name of the pass. */
  readonly pass: string;
  /** Name and operator of the node that remains; empty where nothing does. */
  readonly node: string;
  readonly operator: string;
  /** Names of the model's nodes the rewrite took away or merged. */
  readonly covers: readonly string[];
}

export class GraphRewriter {
  readonly graph: Graph;
  readonly facts: ValueFacts;
  readonly fusions: Fusion[] = [];
  /** Nodes by position; a position whose nodes were merged into a later one is empty. */
  readonly #slots: GraphNode[][];
  readonly #slotOf = new Map<GraphNode, number>();
  readonly #producers = new Map<string, GraphNode>();
  readonly #readers = new Map<string, Set<GraphNode>>();
  readonly #outputs: ReadonlySet<string>;
  readonly #names = new Set<string>();

  constructor(graph: Graph, probes: readonly ShapeProbe[]) {
    this.graph = graph;
    this.facts = new ValueFacts(graph, probes);
    this.#outputs = new Set(graph.outputs.map((output) => output.name));
    this.#slots = graph.nodes.map((node) => [node]);
    for (const input of graph.inputs) this.#names.add(input.name);
    for (const name of graph.constants.keys()) this.#names.add(name);
    graph.nodes.forEach((node, slot) => {
      this.#insert(node, slot);
    });
  }

  /** The nodes now, in topological order; safe to walk while rewriting, with `has` as the check. */
  nodes(): GraphNode[] {
    return this.#slots.flat();
  }

  /** Whether the node is still part of the graph. */
  has(node: GraphNode): boolean {
    return this.#slotOf.has(node);
  }

  /** Position of a node; a larger one comes later. */
  position(node: GraphNode): number {
    return this.#slotOf.get(node) ?? -1;
  }

  producer(value: string): GraphNode | undefined {
    return this.#producers.get(value);
  }

  readers(value: string): readonly GraphNode[] {
    return [...(this.#readers.get(value) ?? [])];
  }

  isOutput(value: string): boolean {
    return this.#outputs.has(value);
  }

  /** The node that reads `value`, when it is the only one, reads it once, and the value is no graph output. */
  soleReader(value: string): GraphNode | undefined {
    const readers = this.#readers.get(value);
    if (readers === undefined || readers.size !== 1 || this.isOutput(value)) return undefined;
    const [reader] = readers;
    return reader !== undefined && countReads(reader, value) === 1 ? reader : undefined;
  }

  constant(value: string): Tensor | undefined {
    return value === '' ? undefined : this.graph.constants.get(value);
  }

  /** The float32 constant of that name. */
  floats(value: string): { readonly data: Float32Array; readonly dims: readonly number[] } | undefined {
    const tensor = this.constant(value);
    if (tensor === undefined || tensor.type !== 'float32' || !(tensor.data instanceof Float32Array)) {
      return undefined;
    }
    return { data: tensor.data, dims: tensor.dims };
  }

  /** The one element of a float32 constant, whatever its rank. */
  scalar(value: string): number | undefined {
    const tensor = this.floats(value);
    return tensor?.data.length === 1 ? tensor.data[0] : undefined;
  }

  /** The elements of an integer constant, e.g. axes or pads. */
  integers(value: string): readonly number[] | undefined {
    const tensor = this.constant(value);
    if (tensor?.type !== 'int64' && tensor?.type !== 'int32') return undefined;
    return Array.from(tensor.data as BigInt64Array | Int32Array, Number);
  }

  /** Adds a constant under a new name derived from `base`. */
  addConstant(base: string, tensor: Tensor): string {
    const name = this.freshName(base);
    this.graph.constants.set(name, tensor);
    return name;
  }

  addFloats(base: string, data: Float32Array, dims: readonly number[]): string {
    return this.addConstant(base, new Tensor('float32', data, dims));
  }

  freshName(base: string): string {
    let name = base;
    for (let suffix = 2; this.#names.has(name); suffix++) name = `${base}.${suffix}`;
    this.#names.add(name);
    return name;
  }

  /** Puts `replacement` (one node or several in order) where the last of `nodes` was, and takes `nodes` away. */
  replace(pass: string, nodes: readonly GraphNode[], ...replacement: readonly GraphNode[]): void {
    const slot = Math.max(...nodes.map((node) => this.position(node)));
    for (const node of nodes) this.#remove(node);
    for (const node of replacement) {
      this.#insert(node, slot);
      this.#slots[slot]?.push(node);
      this.facts.observe(node);
    }
    const last = replacement.at(-1);
    this.fusions.push({
      pass,
      node: last?.name ?? '',
      operator: last?.opType ?? '',
      covers: unique(nodes.flatMap((node) => node.covers)),
    });
  }

  /**
   * Takes away a node whose output equals its input: readers of `output` read `input`. A graph output keeps its
   * name: then the producer of `input` writes it instead. Returns false where neither is possible.
   */
  bypass(pass: string, node: GraphNode, input: string, output: string): boolean {
    if (this.isOutput(output)) {
      const producer = this.producer(input);
      if (producer === undefined || this.isOutput(input)) return false;
      this.replace(pass, [node]);
      const others = this.readers(input);
      this.#swap(producer, { ...producer, outputs: renamed(producer.outputs, input, output) });
      for (const reader of others) this.#swap(reader, withReads(reader, input, output));
      return true;
    }
    const readers = this.readers(output);
    this.replace(pass, [node]);
    for (const reader of readers) this.#swap(reader, withReads(reader, output, input));
    return true;
  }

  /** Writes the nodes back into the graph and forgets constants that nobody reads. */
  commit(): void {
    this.graph.nodes = this.nodes();
    for (const name of this.graph.constants.keys()) {
      if (!this.isOutput(name) && this.readers(name).length === 0) this.graph.constants.delete(name);
    }
  }

  #swap(node: GraphNode, next: GraphNode): void {
    const slot = this.position(node);
    const place = this.#slots[slot]?.indexOf(node) ?? -1;
    this.#remove(node);
    this.#insert(next, slot);
    this.#slots[slot]?.splice(place, 0, next);
    this.facts.observe(next);
  }

  #insert(node: GraphNode, slot: number): void {
    this.#slotOf.set(node, slot);
    for (const value of node.outputs) {
      if (value === '') continue;
      this.#producers.set(value, node);
      this.#names.add(value);
    }
    for (const value of readsOf(node)) {
      const readers = this.#readers.get(value) ?? new Set();
      readers.add(node);
      this.#readers.set(value, readers);
    }
  }

  #remove(node: GraphNode): void {
    const slot = this.#slots[this.position(node)];
    slot?.splice(slot.indexOf(node), 1);
    this.#slotOf.delete(node);
    for (const value of node.outputs) {
      if (this.#producers.get(value) === node) this.#producers.delete(value);
    }
    for (const value of readsOf(node)) this.#readers.get(value)?.delete(node);
  }
}

/** Every value a node reads, its fused residual included; absent inputs left out. */
export function readsOf(node: GraphNode): string[] {
  return [...node.inputs, node.epilogue.residual].filter((value) => value !== '');
}

/** Whether the node is this operator of ONNX's own domain. */
export function isOperator(node: GraphNode, ...opTypes: readonly string[]): boolean;
export function isOperator(node: GraphNode | undefined, ...opTypes: readonly string[]): node is GraphNode;
export function isOperator(node: GraphNode | undefined, ...opTypes: readonly string[]): boolean {
  return (
    node !== undefined && (node.domain === '' || node.domain === 'ai.onnx') && opTypes.includes(node.opType)
  );
}

/** Whether nothing was fused behind the node's own result. */
export function hasPlainEpilogue(node: GraphNode): boolean {
  return node.epilogue.residual === '' && node.epilogue.activation.length === 0;
}

/** Names the nodes stand for together, in the order given, each once. */
export function coversOf(...nodes: readonly GraphNode[]): string[] {
  return unique(nodes.flatMap((node) => node.covers));
}

/** A node made by a pass, with nothing fused behind it. */
export function makeNode(
  fields: Pick<GraphNode, 'name' | 'opType' | 'inputs' | 'outputs' | 'covers'> & Partial<GraphNode>,
): GraphNode {
  return { domain: '', attributes: new Map(), epilogue: EMPTY_EPILOGUE, ...fields };
}

function countReads(node: GraphNode, value: string): number {
  return readsOf(node).filter((read) => read === value).length;
}

function withReads(node: GraphNode, from: string, to: string): GraphNode {
  const residual = node.epilogue.residual === from ? to : node.epilogue.residual;
  return { ...node, inputs: renamed(node.inputs, from, to), epilogue: { ...node.epilogue, residual } };
}

function renamed(values: readonly string[], from: string, to: string): string[] {
  return values.map((value) => (value === from ? to : value));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
