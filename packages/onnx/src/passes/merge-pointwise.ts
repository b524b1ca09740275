/**
 * A 1x1 Conv directly behind a Conv, with nothing between, is a product of matrices that constants allow to make
 * once: W[oc, ic, taps] = sum over mid of W2[oc, mid] W1[mid, ic, taps], b = W2 b1 + b2, in float64. Only where the
 * one convolution needs fewer multiplications a pixel than the two.
 */

import { AttributeReader } from '../attributes.ts';
import type { GraphNode } from '../graph.ts';
import { elementCount } from '../tensor.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, hasPlainEpilogue, isOperator } from './rewriter.ts';
import { isFiniteArray, readFoldable } from './weight-folding.ts';

const PASS = 'merge-pointwise';

/** Most multiplications spent on one product while loading, about a tenth of a second. */
const MOST_PRODUCTS = 2 ** 26;

export function mergePointwise(rewriter: GraphRewriter): void {
  for (const node of rewriter.nodes()) {
    if (!rewriter.has(node) || !isOperator(node, 'Conv') || !hasPlainEpilogue(node)) continue;
    const next = rewriter.soleReader(node.outputs[0] ?? '');
    if (isOperator(next, 'Conv') && next.inputs[0] === node.outputs[0]) merge(rewriter, node, next);
  }
}

function merge(rewriter: GraphRewriter, first: GraphNode, second: GraphNode): void {
  const inner = readDense(rewriter, first);
  const outer = readDense(rewriter, second);
  if (inner === undefined || outer === undefined || !isPointwise(second, outer.taps)) return;
  const before = inner.rows * inner.columns + outer.rows * outer.columns;
  if (inner.rows !== outer.columns || outer.rows * inner.columns >= before) return;
  if (outer.rows * inner.rows * inner.columns > MOST_PRODUCTS) return;
  const weights = product(outer, inner);
  const bias = Float32Array.from(outer.bias, (value, oc) => {
    let sum = value;
    for (let mid = 0; mid < inner.rows; mid++) sum += weightAt(outer, oc, mid) * (inner.bias[mid] ?? 0);
    return sum;
  });
  if (!isFiniteArray(weights) || !isFiniteArray(bias)) return;
  rewriter.replace(PASS, [first, second], {
    ...first,
    inputs: [
      first.inputs[0] ?? '',
      rewriter.addFloats(`${first.inputs[1]}.merged`, weights, [outer.rows, ...inner.dims.slice(1)]),
      rewriter.addFloats(`${first.name}.bias`, bias, [outer.rows]),
    ],
    outputs: second.outputs,
    epilogue: second.epilogue,
    covers: coversOf(first, second),
  });
}

/** Weights of a convolution without groups as a matrix [oc, ic * taps]. */
interface DenseWeights {
  readonly data: Float32Array;
  readonly dims: readonly number[];
  readonly rows: number;
  readonly columns: number;
  readonly taps: number;
  readonly bias: Float64Array;
}

function readDense(rewriter: GraphRewriter, node: GraphNode): DenseWeights | undefined {
  const foldable = readFoldable(rewriter, node);
  const weights = rewriter.floats(node.inputs[1] ?? '');
  if (foldable === undefined || weights === undefined) return undefined;
  if (new AttributeReader(node).int('group', 1) !== 1) return undefined;
  const [rows = 0, , ...spatial] = weights.dims;
  const taps = elementCount(spatial);
  const columns = weights.data.length / Math.max(1, rows);
  return { data: weights.data, dims: weights.dims, rows, columns, taps, bias: foldable.bias };
}

/** One tap, stride 1, no padding: each output pixel sees the one input pixel at its place. */
function isPointwise(node: GraphNode, taps: number): boolean {
  const attributes = new AttributeReader(node);
  const all = (name: string, value: number): boolean =>
    (attributes.ints(name) ?? []).every((entry) => entry === value);
  return taps === 1 && all('strides', 1) && all('pads', 0);
}

function product(outer: DenseWeights, inner: DenseWeights): Float32Array {
  const weights = new Float32Array(outer.rows * inner.columns);
  const row = new Float64Array(inner.columns);
  for (let oc = 0; oc < outer.rows; oc++) {
    row.fill(0);
    for (let mid = 0; mid < inner.rows; mid += 4) addFourRows(row, { outer, inner, oc, mid });
    weights.set(row, oc * inner.columns);
  }
  return weights;
}

interface FourRows {
  readonly outer: DenseWeights;
  readonly inner: DenseWeights;
  readonly oc: number;
  /** The first of up to four rows of `inner`. */
  readonly mid: number;
}

/** One after the other in each sum, four of them for each time it is read and written. */
function addFourRows(row: Float64Array, { outer, inner, oc, mid }: FourRows): void {
  const { data, rows, columns } = inner;
  const factor = (next: number): number => (mid + next < rows ? weightAt(outer, oc, mid + next) : 0);
  // A row beyond the last one counts nothing, whatever is read in its place.
  const from = (next: number): number => (mid + next < rows ? mid + next : mid) * columns;
  const [f0, f1, f2, f3] = [factor(0), factor(1), factor(2), factor(3)];
  const [r0, r1, r2, r3] = [from(0), from(1), from(2), from(3)];
  for (let i = 0; i < columns; i++) {
    let sum = (row[i] as number) + f0 * (data[r0 + i] as number);
    sum += f1 * (data[r1 + i] as number);
    sum += f2 * (data[r2 + i] as number);
    row[i] = sum + f3 * (data[r3 + i] as number);
  }
}

function weightAt(weights: DenseWeights, row: number, column: number): number {
  return weights.data[row * weights.columns + column] ?? 0;
}
