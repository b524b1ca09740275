/**
 * The shortcut of a residual block inside its convolution: what the pass takes and leaves, and that a session with it
 * gives the bits of one without where every sum is exact.
 */
import { integerFill, newTestDeviceAs } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';
import { inferShapes } from '../src/infer-shapes.ts';
import type { ValueInfo } from '../src/op-definition.ts';
import { fuseLaunches } from '../src/passes/fuse-launches.ts';
import { optimizeGraph, type ShapeProbe } from '../src/passes/index.ts';
import { GraphBuilder, outline, probeOf } from './graph-builder.ts';
import { graphToModel } from './graph-to-model.ts';

const dims = [2, 3, 7, 5];
const small = [2, 4, 4, 3];
const probe: ShapeProbe = probeOf({ x: dims, long: small, short: small, sum: small, y: small });

/** A 3x3 convolution of stride 2 and a 1x1 of stride 2 beside it, added, with relu behind. */
function block(g: GraphBuilder, first: 'long' | 'short' = 'long'): string {
  const x = g.input('x', dims);
  const long = (): string =>
    g.node('Conv', [x, ...weightsOf(g, 'long', [4, 3, 3, 3])], 'long', {
      ...{ pads: [1, 1, 1, 1], strides: [2, 2] },
    });
  const short = (): string =>
    g.node('Conv', [x, ...weightsOf(g, 'short', [4, 3, 1, 1])], 'short', { strides: [2, 2] });
  for (const make of first === 'long' ? [long, short] : [short, long]) make();
  g.node('Add', ['long', 'short'], 'sum');
  return g.node('Relu', ['sum'], 'y');
}

function weightsOf(g: GraphBuilder, name: string, shape: readonly number[]): string[] {
  const [oc = 0, ...rest] = shape;
  const count = rest.reduce((product, extent) => product * extent, oc);
  return [
    g.floats(`${name}.w`, Array.from(integerFill(count, count, -2, 2)), shape),
    g.floats(`${name}.b`, Array.from(integerFill(oc, 9, -2, 2)), [oc]),
  ];
}

describe('a shortcut', () => {
  it.each(['long', 'short'] as const)(
    'becomes terms of the sum, whichever the residual is (%s first)',
    (first) => {
      const g = new GraphBuilder();
      const graph = g.build(block(g, first));
      optimizeGraph(graph, { probes: [probe] });
      const before = graph.nodes.length;
      fuseLaunches(graph, [probe]);
      expect([before, outline(graph)]).toEqual([2, ['ShortcutConv+relu']]);
      const [node] = graph.nodes;
      expect(node?.inputs).toEqual(['x', 'long.w', expect.any(String), 'x', 'short.w']);
      const summed = graph.constants.get(node?.inputs[2] ?? '')?.data;
      expect(summed).toEqual(integerFill(4, 9, -2, 2).map((value) => 2 * value));
      expect([...(node?.covers ?? [])].sort()).toEqual(['node-long', 'node-short', 'node-sum', 'node-y']);
    },
  );

  it('stays apart where its result is read elsewhere', () => {
    const g = new GraphBuilder();
    const graph = g.build(block(g), 'short', 'long');
    optimizeGraph(graph, { probes: [probe] });
    fuseLaunches(graph, [probe]);
    expect(outline(graph)).not.toContain('ShortcutConv+relu');
  });

  it.each([
    ['software', 'separate'],
    ['hardware', 'implicit-gemm'],
  ] as const)('changes no bit as %s adapters run it', async (kind, algorithm) => {
    const device = await newTestDeviceAs(kind);
    const g = new GraphBuilder();
    const model = graphToModel(g.build(block(g)));
    const plain = await InferenceSession.create(model, { device, fusions: false });
    const session = await InferenceSession.create(model, { device, fusions: 'all' });
    const feeds = { x: new Tensor('float32', integerFill(210, 1, -4, 4), dims) };
    expect((await session.run(feeds)).y).toEqual((await plain.run(feeds)).y);
    const { steps } = await session.explain({ x: dims });
    expect(steps.filter(({ operator }) => operator === 'conv')).toEqual([
      expect.objectContaining({ algorithm, nodes: ['Conv_0', 'Conv_1', 'Add_2', 'Relu_3'] }),
    ]);
    await session.release();
    await plain.release();
    await device.disposeAsync();
  });

  it('comes out again where one result broadcasts to the other', () => {
    const g = new GraphBuilder();
    const graph = g.build(block(g));
    optimizeGraph(graph, { probes: [probe] });
    fuseLaunches(graph, [probe]);
    const [node] = graph.nodes;
    if (node === undefined) throw new RangeError('no node');
    // A second source of one pixel.
    graph.nodes = [{ ...node, inputs: [...node.inputs.slice(0, 3), 'z', 'short.w'] }];
    const feeds = new Map<string, ValueInfo>([
      ['x', { type: 'float32', dims }],
      ['z', { type: 'float32', dims: [2, 3, 1, 2] }],
    ]);
    const { nodes, values } = inferShapes(graph, feeds);
    expect(nodes.map(({ opType }) => opType)).toEqual(['Conv', 'Conv', 'Add']);
    expect(nodes[2]?.epilogue.activation).toEqual([{ kind: 'relu' }]);
    expect(values.get(nodes[1]?.outputs[0] ?? '')?.dims).toEqual([2, 4, 1, 1]);
    expect(values.get('y')?.dims).toEqual(small);
  });
});
