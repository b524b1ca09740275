/** A convolution that reads a graph input in planes: what the pass takes and leaves, and that integers stay the same. */
import { integerFill, newTestDeviceAs } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';
import { fuseLaunches } from '../src/passes/fuse-launches.ts';
import { optimizeGraph } from '../src/passes/index.ts';
import { GraphBuilder, outline } from './graph-builder.ts';
import { graphToModel } from './graph-to-model.ts';

function stem(g: GraphBuilder, x: string, channels: number, attributes = {}): string {
  const weights = Array.from(integerFill(6 * channels * 9, 2, -2, 2));
  const inputs = [
    x,
    g.floats('w', weights, [6, channels, 3, 3]),
    g.floats('b', Array.from(integerFill(6, 3, -2, 2)), [6]),
  ];
  return g.node('Conv', inputs, 'y', { strides: [2, 2], pads: [1, 1, 1, 1], ...attributes });
}

describe('planes', () => {
  const fused = (write: (g: GraphBuilder) => void, ...outputs: string[]): string[] => {
    const g = new GraphBuilder();
    write(g);
    const graph = g.build(...outputs);
    optimizeGraph(graph);
    fuseLaunches(graph, []);
    return outline(graph);
  };

  it('are read by a convolution that alone reads an input of few channels', () => {
    const dims = ['N', 3, 'H', 'W'];
    expect(fused((g) => stem(g, g.input('x', dims), 3), 'y')).toEqual(['PlanarConv']);
    expect(fused((g) => stem(g, g.input('x'), 4), 'y')).toEqual(['PlanarConv']);
  });

  it('are not where there are more channels, another reader or a node before', () => {
    expect(fused((g) => stem(g, g.input('x', ['N', 5, 'H', 'W']), 5), 'y')).toEqual(['Conv']);
    const twice = fused(
      (g) => {
        g.node('Exp', [g.input('x', ['N', 3, 'H', 'W'])], 'z');
        stem(g, 'x', 3);
      },
      'y',
      'z',
    );
    expect(twice).not.toContain('PlanarConv');
    const behind = fused((g) => stem(g, g.node('Exp', [g.input('x', ['N', 3, 'H', 'W'])], 'z'), 3), 'y');
    expect(behind).not.toContain('PlanarConv');
  });

  it.each([
    ['software', 'converted'],
    ['hardware', 'implicit-gemm'],
  ] as const)('change no bit as %s adapters run them', async (kind, algorithm) => {
    const device = await newTestDeviceAs(kind);
    const g = new GraphBuilder();
    const model = graphToModel(g.build(stem(g, g.input('x', ['N', 3, 'H', 'W']), 3)));
    const plain = await InferenceSession.create(model, { device, fusions: false });
    const session = await InferenceSession.create(model, { device, fusions: 'all' });
    const shape = [2, 3, 9, 7];
    const feeds = { x: new Tensor('float32', integerFill(378, 1, -4, 4), shape) };
    expect((await session.run(feeds)).y).toEqual((await plain.run(feeds)).y);
    const { steps } = await session.explain({ x: shape });
    expect(steps[0]).toMatchObject({ operator: 'conv', algorithm, nodes: ['Conv_0'] });
    await session.release();
    await plain.release();
    await device.disposeAsync();
  });
});
