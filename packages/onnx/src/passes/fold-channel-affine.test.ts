/** Folding into weights: exact on small integers, for every place a channel's weights may lie. */
import { describe, expect, it } from 'vitest';
import { assertTopological, GraphBuilder, outline } from '../../test/graph-builder.ts';
import type { Graph, GraphNode } from '../graph.ts';
import { optimizeGraph } from './index.ts';

/** What a 1x1 Conv, ConvTranspose or a Gemm makes of one pixel of `ic` channels. */
function applyToPixel(graph: Graph, node: GraphNode, pixel: readonly number[]): number[] {
  const weights = graph.constants.get(node.inputs[1] ?? '');
  const bias = graph.constants.get(node.inputs[2] ?? '');
  const int = (name: string, fallback: number): number =>
    Number(node.attributes.get(name)?.value ?? fallback);
  const groups = int('group', 1);
  const [first = 0, second = 0] = weights?.dims ?? [];
  const inputsInGroup = pixel.length / groups;
  const transposed = node.opType === 'ConvTranspose' || (node.opType === 'Gemm' && int('transB', 0) === 0);
  const channels = transposed ? second * groups : first;
  return Array.from({ length: channels }, (_, oc) => {
    const group = Math.floor(oc / (channels / groups));
    let sum = 0;
    for (let i = 0; i < inputsInGroup; i++) {
      const ic = group * inputsInGroup + i;
      const at = transposed ? ic * second + (oc - group * second) : oc * second + i;
      sum += (pixel[ic] ?? 0) * Number(weights?.data[at]);
    }
    const scaledBias = int('beta', 1) * Number(bias?.data[bias.data.length === 1 ? 0 : oc] ?? 0);
    return int('alpha', 1) * sum + scaledBias;
  });
}

function onlyNode(graph: Graph): GraphNode {
  assertTopological(graph);
  const [node, ...more] = graph.nodes;
  if (node === undefined || more.length > 0) throw new Error(`left: ${outline(graph).join(', ')}`);
  return node;
}

const PIXEL = [3, -1, 2, 5, -4, 1];

/** BatchNormalization as `GraphBuilder.batchNorm` makes it. */
const normalise = (values: readonly number[]): number[] =>
  values.map((value, c) => ((value - 2 * c) * (4 + c)) / 2 ** (c % 3) + c - 1);

const integers = (length: number): number[] => Array.from({ length }, (_, i) => ((i * 7) % 9) - 4);

describe('BatchNormalization', () => {
  it.each([
    { groups: 1, oc: 4 },
    { groups: 2, oc: 4 },
    { groups: 3, oc: 6 },
    { groups: 6, oc: 6 },
  ])('into Conv with $groups groups, without a bias', ({ groups, oc }) => {
    const g = new GraphBuilder();
    const w = g.floats('w', integers((oc * 6) / groups), [oc, 6 / groups, 1, 1]);
    g.node('Conv', [g.input('x'), w], 'c', { group: groups });
    g.batchNorm('c', 'y', oc);
    const graph = g.build('y');
    const before = applyToPixel(graph, graph.nodes[0] as GraphNode, PIXEL);
    optimizeGraph(graph);
    const node = onlyNode(graph);
    expect(applyToPixel(graph, node, PIXEL)).toEqual(normalise(before));
    expect(node.covers).toEqual(['node-c', 'node-y']);
    expect([...graph.constants.keys()].sort()).toEqual([...node.inputs.slice(1)].sort());
  });

  it.each([
    { groups: 1, oc: 4 },
    { groups: 2, oc: 4 },
    { groups: 3, oc: 3 },
  ])('into ConvTranspose with $groups groups and a bias', ({ groups, oc }) => {
    const g = new GraphBuilder();
    const w = g.floats('w', integers((6 * oc) / groups), [6, oc / groups, 1, 1]);
    const b = g.floats('b', integers(oc), [oc]);
    g.node('ConvTranspose', [g.input('x'), w, b], 'c', { group: groups });
    g.batchNorm('c', 'y', oc);
    const graph = g.build('y');
    const before = applyToPixel(graph, graph.nodes[0] as GraphNode, PIXEL);
    optimizeGraph(graph);
    expect(applyToPixel(graph, onlyNode(graph), PIXEL)).toEqual(normalise(before));
  });

  it.each([0, 1])('into Gemm with transB = %i, alpha and beta', (transB) => {
    const g = new GraphBuilder();
    const w = g.floats('w', integers(24), transB === 1 ? [4, 6] : [6, 4]);
    const b = g.floats('b', integers(4), [1, 4]);
    g.node('Gemm', [g.input('x'), w, b], 'c', {
      transB,
      alpha: { kind: 'float', value: 2 },
      beta: { kind: 'float', value: 3 },
    });
    g.batchNorm('c', 'y', 4);
    const graph = g.build('y');
    const before = applyToPixel(graph, graph.nodes[0] as GraphNode, PIXEL);
    optimizeGraph(graph);
    expect(applyToPixel(graph, onlyNode(graph), PIXEL)).toEqual(normalise(before));
  });

  it('stays in training mode, and as a depthwise Conv where nothing before it can take it', () => {
    const g = new GraphBuilder();
    g.batchNorm(g.input('x', ['N', 3, 8, 8]), 'y', 3);
    const graph = g.build('y');
    optimizeGraph(graph);
    const node = onlyNode(graph);
    expect(node.opType).toBe('Conv');
    expect(applyToPixel(graph, node, [3, -1, 2])).toEqual(normalise([3, -1, 2]));

    const training = new GraphBuilder();
    training.batchNorm(training.input('x', ['N', 3, 8, 8]), 'y', 3);
    const trained = training.build('y');
    const [first] = trained.nodes;
    trained.nodes = [
      { ...(first as GraphNode), attributes: new Map([['training_mode', { kind: 'int', value: 1n }]]) },
    ];
    optimizeGraph(trained);
    expect(outline(trained)).toEqual(['BatchNormalization']);
  });
});

describe('arithmetic with constants', () => {
  it('folds a chain of scalars, channels and BatchNormalization with one rounding', () => {
    const g = new GraphBuilder();
    g.conv(g.input('x'), 'c', { ic: 6, oc: 4, bias: false });
    g.node('Mul', [g.floats('two', [2], [1]), 'c'], 'm');
    g.node('Add', ['m', g.floats('perChannel', [1, -2, 3, 0], [1, 4, 1, 1])], 'a');
    g.batchNorm('a', 'n', 4);
    g.node('Sub', [g.floats('hundred', [100]), 'n'], 's');
    g.node('Div', ['s', g.floats('four', [4], [1, 1, 1])], 'y');
    const graph = g.build('y');
    const before = applyToPixel(graph, graph.nodes[0] as GraphNode, PIXEL);
    optimizeGraph(graph);
    const added = [1, -2, 3, 0];
    const expected = normalise(before.map((value, c) => 2 * value + (added[c] ?? 0))).map(
      (value) => (100 - value) / 4,
    );
    expect(applyToPixel(graph, onlyNode(graph), PIXEL)).toEqual(expected);
  });

  it.each([
    { what: 'a constant along the width', dims: [4] },
    { what: 'a constant of a higher rank', dims: [1, 1, 4, 1, 1] },
    { what: 'a constant for each batch', dims: [4, 1, 1, 1] },
  ])('leaves $what', ({ dims }) => {
    const g = new GraphBuilder();
    g.conv(g.input('x'), 'c', { oc: 4 });
    g.node('Add', ['c', g.floats('k', [1, 2, 3, 4], dims)], 'y');
    const graph = g.build('y');
    optimizeGraph(graph);
    expect(outline(graph)).toEqual(['Conv', 'Add']);
  });

  it('leaves a convolution whose result is read elsewhere, and shared weights of another one', () => {
    const g = new GraphBuilder();
    g.conv(g.input('x'), 'c');
    g.node('Mul', ['c', g.floats('k', [3])], 'y');
    const graph = g.build('y', 'c');
    optimizeGraph(graph);
    expect(outline(graph)).toEqual(['Conv', 'Mul']);

    const shared = new GraphBuilder();
    const w = shared.floats('w', [1, 2, 3, 4], [2, 2, 1, 1]);
    shared.node('Conv', [shared.input('x'), w], 'a');
    shared.node('Conv', ['x', w], 'b');
    shared.node('Mul', ['b', shared.floats('k', [3])], 'y');
    const both = shared.build('a', 'y');
    optimizeGraph(both);
    expect(outline(both)).toEqual(['Conv', 'Conv']);
    expect(Array.from(both.constants.get('w')?.data as Float32Array)).toEqual([1, 2, 3, 4]);
    expect(Array.from(both.constants.get('w.folded')?.data as Float32Array)).toEqual([3, 6, 9, 12]);
  });

  it('does not fold what would overflow float32', () => {
    const g = new GraphBuilder();
    g.conv(g.input('x'), 'c');
    g.node('Div', ['c', g.floats('zero', [0])], 'y');
    const graph = g.build('y');
    optimizeGraph(graph);
    expect(outline(graph)).toEqual(['Conv', 'Div']);
  });
});

describe('a 1x1 Conv behind a Conv', () => {
  const pair = (options: {
    mid: number;
    oc: number;
    attributes?: Parameters<GraphBuilder['node']>[3];
  }): Graph => {
    const g = new GraphBuilder();
    g.conv(g.input('x'), 'c', { ic: 6, oc: options.mid });
    const w = g.floats('w', integers(options.mid * options.oc), [options.oc, options.mid, 1, 1]);
    const b = g.floats('b', integers(options.oc), [options.oc]);
    g.node('Conv', ['c', w, b], 'y', options.attributes);
    return g.build('y');
  };

  it('is one Conv where that is less work', () => {
    const graph = pair({ mid: 5, oc: 4 });
    const [first, second] = graph.nodes as [GraphNode, GraphNode];
    const expected = applyToPixel(graph, second, applyToPixel(graph, first, PIXEL));
    optimizeGraph(graph);
    expect(applyToPixel(graph, onlyNode(graph), PIXEL)).toEqual(expected);
  });

  it.each([
    { mid: 2, oc: 6 },
    { mid: 5, oc: 4, attributes: { strides: [2, 2] } },
    { mid: 5, oc: 4, attributes: { pads: [0, 1, 0, 0] } },
  ])('stays where it is more work or no product: %o', (options) => {
    const graph = pair(options);
    optimizeGraph(graph);
    expect(outline(graph)).toEqual(['Conv', 'Conv']);
  });
});
