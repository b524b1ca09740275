/**
 * Random small graphs for tests: chains and branches of vision operators over odd channel counts, values with
 * several readers, sums with a partner of the same dims or one that broadcasts, the same value twice, graph outputs
 * in the middle. The same choices give the same graph, so that fast-check can shrink a failing one.
 */
import { integerFill } from '@onegpu/testing';
import { Tensor } from '../src/tensor.ts';
import type { AttributeDescription, ModelDescription, NodeDescription } from './model-builder.ts';

export interface RandomGraph {
  readonly model: ModelDescription;
  /** Dims of the one input, `x`. */
  readonly dims: readonly number[];
}

interface Value {
  readonly name: string;
  readonly dims: readonly number[];
}

type Attributes = Readonly<Record<string, AttributeDescription>>;

/** Largest number of elements of a value, so that a software adapter keeps up. */
const MOST_ELEMENTS = 6000;

/** @param choices each decides one node; the first ones batch and extents */
export function randomGraph(choices: readonly number[]): RandomGraph {
  const [head = 0, ...rest] = choices;
  const dims = [1 + (head % 3), [3, 1, 5, 8, 17][head % 5] ?? 3, 3 + (head % 4), 2 + (head % 7)];
  const writer = new RandomGraphWriter({ name: 'x', dims });
  for (const choice of rest) writer.addNode(choice);
  return { model: writer.finish(head), dims };
}

class RandomGraphWriter {
  readonly #nodes: NodeDescription[] = [];
  readonly #constants: Record<string, Tensor> = {};
  readonly #values: Value[];

  constructor(input: Value) {
    this.#values = [input];
  }

  /** The low digits of `choice` pick the operator, the others its operands. */
  addNode(choice: number): void {
    const pick = Math.floor(choice / OPERATORS.length);
    const x = this.#value(pick % 2 === 0 ? this.#values.length - 1 : pick);
    if (x.dims.length !== 4) return;
    OPERATORS[choice % OPERATORS.length]?.(this, x, pick);
  }

  /** Every value that nothing reads is an output, and one more. */
  finish(choice: number): ModelDescription {
    const read = new Set(this.#nodes.flatMap((node) => node.inputs ?? []));
    const loose = this.#values.filter(({ name }) => !read.has(name)).map(({ name }) => name);
    const outputs = [...new Set([...loose, this.#value(choice).name])];
    return {
      inputs: { x: { dims: ['N', this.#value(0).dims[1] ?? 1, 'H', 'W'] } },
      outputs,
      nodes: this.#nodes,
      initializers: this.#constants,
    };
  }

  emit(op: string, inputs: readonly string[], dims: readonly number[], attributes: Attributes = {}): Value {
    const value = { name: `v${this.#values.length}`, dims };
    this.#nodes.push({ op, name: `${op}-${value.name}`, inputs, outputs: [value.name], attributes });
    this.#values.push(value);
    return value;
  }

  /** A constant of small integers. */
  floats(dims: readonly number[]): string {
    const seed = Object.keys(this.#constants).length + 1;
    return this.#constant(new Tensor('float32', integerFill(count(dims), seed, -2, 2), dims));
  }

  integers(values: readonly number[]): string {
    return this.#constant(new Tensor('int64', values.map(BigInt)));
  }

  /** A value that `x` broadcasts with, itself among them. */
  partner(x: Value, pick: number): { readonly value: Value; readonly dims: readonly number[] } {
    const fitting = this.#values.flatMap((value) => {
      const dims = broadcast(x.dims, value.dims);
      return dims === undefined || count(dims) > MOST_ELEMENTS ? [] : [{ value, dims }];
    });
    return fitting[pick % fitting.length] ?? { value: x, dims: x.dims };
  }

  #constant(tensor: Tensor): string {
    const name = `c${Object.keys(this.#constants).length}`;
    this.#constants[name] = tensor;
    return name;
  }

  #value(index: number): Value {
    return this.#values[index % this.#values.length] as Value;
  }
}

type Operator = (graph: RandomGraphWriter, x: Value, pick: number) => void;

const OPERATORS: readonly Operator[] = [
  convolve,
  convolve,
  (graph, x, pick) => add(graph, x, pick),
  (graph, x, pick) => {
    const { value, dims } = graph.partner(x, pick);
    graph.emit(pick % 2 === 0 ? 'Mul' : 'Sub', [value.name, x.name], dims);
  },
  (graph, x, pick) => {
    graph.emit(['Relu', 'HardSwish', 'Sigmoid', 'Abs', 'Identity'][pick % 5] ?? 'Relu', [x.name], x.dims);
  },
  (graph, x, pick) => {
    const channels = graph.floats([x.dims[1] ?? 1, 1, 1]);
    graph.emit(pick % 2 === 0 ? 'Mul' : 'Add', [x.name, channels], x.dims);
  },
  squeezeExcite,
  pool,
  transposedConvolve,
  (graph, x, pick) => {
    const axis = pick % 4;
    const { value } = graph.partner(x, pick);
    const other = value.dims.every((extent, i) => i === axis || extent === x.dims[i]) ? value : x;
    const dims = x.dims.map((extent, i) => (i === axis ? extent + (other.dims[i] ?? 0) : extent));
    if (count(dims) <= MOST_ELEMENTS) graph.emit('Concat', [x.name, other.name], dims, { axis });
  },
  (graph, x, pick) => {
    const axis = 1 + (pick % 3);
    const start = pick % (x.dims[axis] ?? 1);
    const dims = x.dims.map((extent, i) => (i === axis ? extent - start : extent));
    const range = [[start], [9999], [axis]].map((list) => graph.integers(list));
    graph.emit('Slice', [x.name, ...range], dims);
  },
  (graph, x, pick) => {
    const perm = pick % 2 === 0 ? [0, 2, 3, 1] : [0, 1, 3, 2];
    const dims = perm.map((axis) => x.dims[axis] ?? 1);
    graph.emit('Transpose', [x.name], dims, { perm });
  },
  (graph, x, pick) => {
    const { dims } = x;
    const [n = 1, c = 1, h = 1, w = 1] = dims;
    const flat = graph.emit('Flatten', [x.name], [n, c * h * w]);
    if (pick % 2 === 0) graph.emit('Reshape', [flat.name, graph.integers([0, h, w, c])], [n, h, w, c]);
    else graph.emit('Gemm', [flat.name, graph.floats([c * h * w, 3])], [n, 3]);
  },
];

/** A convolution, with what fusion looks for behind it: a sum, an activation, or both. */
function convolve(graph: RandomGraphWriter, x: Value, pick: number): void {
  const [n = 1, c = 1, h = 1, w = 1] = x.dims;
  const kernel = pick % 3 === 0 ? 3 : 1;
  const pad = (kernel - 1) / 2;
  const stride = pick % 5 === 0 ? 2 : 1;
  const group = pick % 4 === 1 ? c : 1;
  const oc = pick % 2 === 0 || group > 1 ? c : ([4, 1, 7, 16][pick % 7] ?? c);
  const inputs = [x.name, graph.floats([oc, c / group, kernel, kernel])];
  if (pick % 3 === 1) inputs.push(graph.floats([oc]));
  const dims = [n, oc, Math.ceil(h / stride), Math.ceil(w / stride)];
  const attributes = { strides: [stride, stride], pads: [pad, pad, pad, pad], group };
  let value = graph.emit('Conv', inputs, dims, attributes);
  if (pick % 7 < 4) value = add(graph, value, pick);
  if (pick % 3 > 0) graph.emit('Relu', [value.name], value.dims);
}

function add(graph: RandomGraphWriter, x: Value, pick: number): Value {
  const { value, dims } = graph.partner(x, pick);
  return graph.emit('Add', pick % 2 === 0 ? [x.name, value.name] : [value.name, x.name], dims);
}

function squeezeExcite(graph: RandomGraphWriter, x: Value, pick: number): void {
  const [n = 1, c = 1] = x.dims;
  const mean = graph.emit('GlobalAveragePool', [x.name], [n, c, 1, 1]);
  const squeezed = graph.emit('Conv', [mean.name, graph.floats([c, c, 1, 1])], mean.dims);
  const gate = graph.emit('HardSigmoid', [squeezed.name], mean.dims);
  const product = graph.emit('Mul', [x.name, gate.name], x.dims);
  if (pick % 2 === 0) graph.emit('Add', [x.name, product.name], x.dims);
}

function pool(graph: RandomGraphWriter, x: Value, pick: number): void {
  const [n = 1, c = 1, h = 1, w = 1] = x.dims;
  const half = (extent: number): number => (pick % 3 === 0 ? Math.ceil(extent / 2) : Math.floor(extent / 2));
  const attributes = { kernel_shape: [2, 2], strides: [2, 2], ceil_mode: pick % 3 === 0 ? 1 : 0 };
  if (Math.min(half(h), half(w)) === 0) return;
  graph.emit(pick % 2 === 0 ? 'MaxPool' : 'AveragePool', [x.name], [n, c, half(h), half(w)], attributes);
}

function transposedConvolve(graph: RandomGraphWriter, x: Value, pick: number): void {
  const [n = 1, c = 1, h = 1, w = 1] = x.dims;
  const oc = 1 + (pick % 5);
  const dims = [n, oc, 2 * h, 2 * w];
  if (count(dims) > MOST_ELEMENTS) return;
  graph.emit('ConvTranspose', [x.name, graph.floats([c, oc, 2, 2])], dims, { strides: [2, 2] });
}

/** Dims of both together; undefined where they do not broadcast, or one is no picture. */
function broadcast(a: readonly number[], b: readonly number[]): readonly number[] | undefined {
  if (a.length !== b.length) return undefined;
  const fits = a.every((extent, axis) => extent === b[axis] || extent === 1 || b[axis] === 1);
  return fits ? a.map((extent, axis) => Math.max(extent, b[axis] ?? 1)) : undefined;
}

function count(dims: readonly number[]): number {
  return dims.reduce((product, extent) => product * extent, 1);
}
