/**
 * What passes may assume about a value without running shape inference: its element type, its rank and whether it
 * is shape arithmetic, found by one sweep over the graph; and whether two values always have the same dims, which
 * only probes can show.
 *
 * A probe is the result of one shape inference at one set of feed shapes. Two values are taken to have the same
 * dims when every probe says so; the caller gives at least two probes that differ in every extent a run may
 * choose (batch included), or one where the graph fixes all of them. Extents where a sum broadcasts after all are
 * found when a run is planned (`split-residual.ts`).
 */
import { AttributeReader } from '../attributes.ts';
import type { Graph, GraphNode } from '../graph.ts';
import { elementType } from '../proto/element-type.ts';
import type { TensorType } from '../tensor.ts';

/** Type and extents of a value at one set of feed shapes; undefined where the inference does not know it. */
export type ShapeProbe = (
  value: string,
) => { readonly type: TensorType; readonly dims: readonly number[] } | undefined;

/** Operators whose result has the type and the rank of their first input. */
const LIKE_FIRST_INPUT = new Set(
  (
    'Abs AveragePool BatchNormalization Ceil Celu Clip Conv ConvTranspose Cos CumSum DepthToSpace Dropout Elu Erf ' +
    'Exp Floor Gelu GlobalAveragePool GlobalMaxPool GroupNormalization HardSigmoid HardSwish Identity ' +
    'InstanceNormalization LRN LayerNormalization LeakyRelu Log LogSoftmax MaxPool Mish Neg PRelu Pad Reciprocal ' +
    'Relu Resize Round Selu Sigmoid Sign Sin Slice Softmax Softplus Softsign SpaceToDepth Split Sqrt Tanh ' +
    'ThresholdedRelu Tile Transpose Upsample Concat Activation'
  ).split(' '),
);

const BROADCASTING = new Set(['Add', 'Sub', 'Mul', 'Div', 'Pow', 'Min', 'Max', 'Mod', 'Sum', 'Mean']);
const BOOLEAN = new Set([
  'Equal',
  'Greater',
  'Less',
  'GreaterOrEqual',
  'LessOrEqual',
  'And',
  'Or',
  'Not',
  'Xor',
]);
const INDEX = new Set(['Shape', 'Size', 'ArgMax', 'ArgMin', 'NonZero']);
const RESHAPING = new Set([
  'Reshape',
  'Flatten',
  'Squeeze',
  'Unsqueeze',
  'Gather',
  'Expand',
  'Gemm',
  'MatMul',
]);

export class ValueFacts {
  readonly #graph: Graph;
  readonly #probes: readonly ShapeProbe[];
  readonly #types = new Map<string, TensorType>();
  readonly #ranks = new Map<string, number>();
  /** Values made from shapes and constants alone. */
  readonly #shapeArithmetic = new Set<string>();

  constructor(graph: Graph, probes: readonly ShapeProbe[]) {
    this.#graph = graph;
    this.#probes = probes;
    for (const input of graph.inputs) {
      this.#types.set(input.name, input.type);
      if (input.dims !== undefined) this.#ranks.set(input.name, input.dims.length);
    }
    for (const node of graph.nodes) this.observe(node);
  }

  /** Element type; undefined when it cannot be told. */
  type(value: string): TensorType | undefined {
    return this.#graph.constants.get(value)?.type ?? this.#probed(value)?.type ?? this.#types.get(value);
  }

  /** Number of dims; undefined when it cannot be told. */
  rank(value: string): number | undefined {
    return (
      this.#graph.constants.get(value)?.dims.length ??
      this.#probed(value)?.dims.length ??
      this.#ranks.get(value)
    );
  }

  /**
   * Whether the value is made from shapes and constants alone: the host computes it while planning, operator by
   * operator, so nothing may be fused there.
   */
  isShapeArithmetic(value: string): boolean {
    return this.#graph.constants.has(value) || this.#shapeArithmetic.has(value);
  }

  /** Whether every probe gives both values the same dims; false without a probe. */
  sameDims(a: string, b: string): boolean {
    if (this.#probes.length === 0) return false;
    return this.#probes.every((probe) => {
      const dimsA = probe(a)?.dims;
      const dimsB = probe(b)?.dims;
      if (dimsA === undefined || dimsB === undefined || dimsA.length !== dimsB.length) return false;
      return dimsA.every((extent, axis) => extent === dimsB[axis]);
    });
  }

  /** Extent of axis 1, where every probe gives the same; undefined without a probe. */
  channels(value: string): number | undefined {
    const [first, ...others] = this.#probes.map((probe) => probe(value)?.dims[1]);
    return others.every((extent) => extent === first) ? first : undefined;
  }

  /** Extents behind batch and channels, where every probe gives the same; undefined without a probe. */
  fixedSpatial(value: string): readonly number[] | undefined {
    const [first, ...others] = this.#probes.map((probe) => probe(value)?.dims.slice(2));
    if (first === undefined) return undefined;
    return others.every((extents) => String(extents) === String(first)) ? first : undefined;
  }

  /** Learns the outputs of a node that a pass made; nodes are shown in topological order. */
  observe(node: GraphNode): void {
    const type = this.#typeOfResult(node);
    const rank = this.#rankOfResult(node);
    const inputs = node.inputs.filter((input) => input !== '');
    const onHost =
      node.opType === 'Shape' ||
      node.opType === 'Size' ||
      inputs.every((input) => this.isShapeArithmetic(input));
    for (const output of node.outputs) {
      if (type !== undefined) this.#types.set(output, type);
      if (rank !== undefined) this.#ranks.set(output, rank);
      if (onHost) this.#shapeArithmetic.add(output);
    }
  }

  #probed(value: string): ReturnType<ShapeProbe> {
    for (const probe of this.#probes) {
      const facts = probe(value);
      if (facts !== undefined) return facts;
    }
    return undefined;
  }

  #typeOfResult(node: GraphNode): TensorType | undefined {
    const op = node.opType;
    if (BOOLEAN.has(op)) return 'bool';
    if (INDEX.has(op)) return 'int64';
    if (op === 'Cast') return elementType(new AttributeReader(node).int('to', 0));
    if (op === 'Where') return this.type(node.inputs[1] ?? '');
    const follows =
      LIKE_FIRST_INPUT.has(op) || BROADCASTING.has(op) || RESHAPING.has(op) || op.startsWith('Reduce');
    return follows ? this.type(node.inputs[0] ?? '') : undefined;
  }

  #rankOfResult(node: GraphNode): number | undefined {
    const [first = '', second = ''] = node.inputs;
    const op = node.opType;
    if (op === 'Conv' || op === 'ConvTranspose') return this.rank(second) ?? this.rank(first);
    if (LIKE_FIRST_INPUT.has(op) || op === 'Cast') return this.rank(first);
    if (BROADCASTING.has(op)) return this.#widest(node.inputs);
    if (op === 'Gemm' || op === 'Flatten') return 2;
    if (op === 'MatMul') return this.#matMulRank(first, second);
    if (op === 'Shape') return 1;
    if (op === 'Reshape') return this.#graph.constants.get(second)?.size;
    if (op.startsWith('Reduce') && new AttributeReader(node).int('keepdims', 1) === 1)
      return this.rank(first);
    return undefined;
  }

  #widest(values: readonly string[]): number | undefined {
    const ranks = values.map((value) => this.rank(value));
    return ranks.reduce((a, b) => (a === undefined || b === undefined ? undefined : Math.max(a, b)));
  }

  #matMulRank(a: string, b: string): number | undefined {
    const ranks = [this.rank(a), this.rank(b)];
    return ranks.every((rank) => rank !== undefined && rank >= 2) ? this.#widest([a, b]) : undefined;
  }
}
