/**
 * Fusions made for hardware adapters: what they take and what they leave, and that a session with them gives the bits of
 * one without where every sum is exact (means over powers of two of small integers).
 */
import { defaultCapabilities } from '@onegpu/core';
import { modelBytes } from '@onegpu/test-models';
import { integerFill, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { planExecution } from '../src/execution-plan.ts';
import { resolveDims } from '../src/feeds.ts';
import type { Graph } from '../src/graph.ts';
import { InferenceSession, Tensor } from '../src/index.ts';
import { inferShapes } from '../src/infer-shapes.ts';
import { fuseLaunches } from '../src/passes/fuse-launches.ts';
import { optimizeGraph, type ShapeProbe } from '../src/passes/index.ts';
import { prepareModel, withFewerLaunches } from '../src/prepare-model.ts';
import { GraphBuilder, outline, probeOf } from './graph-builder.ts';
import { graphToModel } from './graph-to-model.ts';

/** Factors of `channels` of x by way of four hidden values: relu, then a clip to 0..1. */
function excite(g: GraphBuilder, x: string, name: string, channels: number): string {
  g.node('GlobalAveragePool', [x], `${name}.mean`);
  g.conv(`${name}.mean`, `${name}.squeeze`, { ic: channels, oc: 4 });
  g.node('Relu', [`${name}.squeeze`], `${name}.hidden`);
  g.conv(`${name}.hidden`, `${name}.excite`, { ic: 4, oc: channels, bias: false });
  const bounds = [g.floats(`${name}.low`, [0]), g.floats(`${name}.high`, [1])];
  return g.node('Clip', [`${name}.excite`, ...bounds], `${name}.factors`);
}

function fused(graph: Graph, probes: readonly ShapeProbe[] = []): string[] {
  optimizeGraph(graph, { probes });
  fuseLaunches(graph, probes);
  return outline(graph);
}

describe('squeeze-excite', () => {
  it('and the product that a 1x1 convolution reads become two nodes', () => {
    const g = new GraphBuilder();
    const x = g.input('x', ['N', 3, 'H', 'W']);
    g.node('Mul', [excite(g, x, 'se', 3), x], 'scaled');
    g.conv('scaled', 'y', { ic: 3, oc: 2 });
    const graph = g.build('y');
    expect(fused(graph)).toEqual(['SqueezeExcite+clip', 'GatedConv']);
    expect(graph.nodes[1]?.inputs).toEqual(['x', 'y.w', 'y.b', 'se.factors']);
    expect(graph.nodes[0]?.covers).toEqual([
      'node-se.mean',
      'node-se.squeeze',
      'node-se.hidden',
      'node-se.excite',
      'node-se.factors',
    ]);
  });

  it('stays apart where the mean or the hidden values are read elsewhere', () => {
    const g = new GraphBuilder();
    const x = g.input('x', ['N', 3, 'H', 'W']);
    excite(g, x, 'a', 3);
    g.node('Mul', ['a.factors', x], 'y');
    expect(fused(g.build('y', 'a.mean'))).toEqual(['GlobalAveragePool', 'Conv+relu', 'Conv+clip', 'Mul']);
  });

  it('leaves a product that is read twice, by a larger window, or whose factors are of another picture', () => {
    const build = (write: (g: GraphBuilder, x: string, other: string) => void, ...outputs: string[]) => {
      const g = new GraphBuilder();
      write(g, g.input('x', ['N', 3, 'H', 'W']), g.input('z', ['N', 3, 'H', 'W']));
      return fused(g.build(...outputs));
    };
    const twice = build(
      (g, x) => {
        g.node('Mul', [x, excite(g, x, 'se', 3)], 'scaled');
        g.conv('scaled', 'y', { ic: 3, oc: 2 });
      },
      'y',
      'scaled',
    );
    expect(twice).toEqual(['SqueezeExcite+clip', 'Mul', 'Conv']);
    const window = build((g, x) => {
      g.node('Mul', [x, excite(g, x, 'se', 3)], 'scaled');
      g.node('Conv', ['scaled', g.floats('w', new Array(27).fill(1), [1, 3, 3, 3])], 'y');
    }, 'y');
    expect(window).toEqual(['SqueezeExcite+clip', 'Mul', 'Conv']);
    const foreign = build((g, x, other) => {
      g.node('Mul', [other, excite(g, x, 'se', 3)], 'scaled');
      g.conv('scaled', 'y', { ic: 3, oc: 2 });
    }, 'y');
    expect(foreign).toEqual(['SqueezeExcite+clip', 'Mul', 'Conv']);
  });

  it('changes no bit', async () => {
    const device = await testDevice();
    const g = new GraphBuilder();
    const x = g.input('x', ['N', 6, 'H', 'W']);
    g.node('Mul', [x, excite(g, x, 'a', 6)], 'a.scaled');
    g.conv('a.scaled', 'b', { ic: 6, oc: 5 });
    g.node('Add', [x, g.conv('b', 'c', { ic: 5, oc: 6 })], 'd');
    g.node('Mul', [excite(g, 'd', 'e', 6), 'd'], 'e.scaled');
    g.node('Add', ['e.scaled', 'd'], 'y');
    const model = graphToModel(g.build('y'));
    const plain = await InferenceSession.create(model, { device, fusions: false });
    const session = await InferenceSession.create(model, { device, fusions: 'all' });
    for (const [seed, shape] of [
      [1, 6, 4, 8],
      [3, 6, 2, 4],
    ].entries()) {
      const length = shape.reduce((product, extent) => product * extent, 1);
      const feeds = { x: new Tensor('float32', integerFill(length, seed + 1, -4, 4), shape) };
      expect((await session.run(feeds)).y).toEqual((await plain.run(feeds)).y);
    }
    const { steps } = await session.explain({ x: [1, 6, 4, 8] });
    expect(steps.map(({ operator }) => operator)).toContain('squeeze-excite');
    const portable = await InferenceSession.create(model, { device, fusions: 'portable' });
    const { fusions } = await portable.explain({ x: [1, 6, 4, 8] });
    expect(fusions.map(({ pass }) => pass)).not.toContain('squeeze-excite');
    await portable.release();
    await session.release();
    await plain.release();
  });
});

/** An expansion from 3 to 7 channels with relu, and a depthwise convolution of stride 2. */
function expansion(g: GraphBuilder, x: string): string {
  g.conv(x, 'a', { ic: 3, oc: 7 });
  g.node('Relu', ['a'], 'wide');
  const weights = Array.from(integerFill(63, 1, -2, 2));
  g.node('Conv', ['wide', g.floats('w', weights, [7, 1, 3, 3])], 'b', {
    ...{ group: 7, pads: [1, 1, 1, 1], strides: [2, 2] },
  });
  return g.node('Relu', ['b'], 'y');
}

describe('an expansion', () => {
  const probe = (side: number): ShapeProbe =>
    probeOf({ x: [1, 3, side, side], pool: [1, 3, side, side], wide: [1, 7, side, side] });

  it('and the depthwise convolution behind it are one node where the map is not large at any extents', () => {
    const build = (behind = false) => {
      const g = new GraphBuilder();
      const x = g.input('x');
      return g.build(expansion(g, behind ? g.node('MaxPool', [x], 'pool', { kernel_shape: [1, 1] }) : x));
    };
    expect(fused(build(true), [probe(112)])).toEqual(['MaxPool', 'ExpandDepthwise+relu']);
    expect(fused(build(true), [probe(113)])).toEqual(['MaxPool', 'Conv+relu', 'Conv+relu']);
    expect(fused(build(), [probe(32)])).toEqual(['ExpandDepthwise+relu']);
    expect(fused(build(), [probe(33)])).toEqual(['PlanarConv+relu', 'Conv+relu']);
    expect(fused(build(), [probe(8), probe(9)])).toEqual(['PlanarConv+relu', 'Conv+relu']);
    expect(fused(build())).toEqual(['PlanarConv+relu', 'Conv+relu']);
  });

  it('stays apart where it is read twice', () => {
    const g = new GraphBuilder();
    const graph = g.build(expansion(g, g.input('x')), 'wide');
    expect(fused(graph, [probe(8)])).toEqual(['PlanarConv+relu', 'Conv+relu']);
  });

  it('with the squeeze-excite of its result is one node of two outputs, and changes no bit', async () => {
    const device = await testDevice();
    const g = new GraphBuilder();
    const y = expansion(g, g.input('x', [2, 3, 8, 7]));
    g.node('Mul', [y, excite(g, y, 'se', 7)], 'scaled');
    const model = graphToModel(g.build(g.conv('scaled', 'z', { ic: 7, oc: 5 }), y));
    const plain = await InferenceSession.create(model, { device, fusions: false });
    const session = await InferenceSession.create(model, { device, fusions: 'all' });
    const feeds = { x: new Tensor('float32', integerFill(336, 1, -2, 2), [2, 3, 8, 7]) };
    expect(await session.run(feeds)).toEqual(await plain.run(feeds));
    const { steps } = await session.explain({ x: [2, 3, 8, 7] });
    expect(steps.map(({ operator }) => operator)).toEqual(expect.arrayContaining(['map-excite', 'conv']));
    expect(steps.filter(({ nodes }) => nodes.length > 0)).toHaveLength(2);
    await session.release();
    await plain.release();
  });
});

describe('a feature pyramid', () => {
  const nearest = { mode: 'nearest', coordinate_transformation_mode: 'asymmetric', nearest_mode: 'floor' };

  it('is two nodes, a sum and a concatenation, and changes no bit', async () => {
    const device = await testDevice();
    const g = new GraphBuilder();
    const x = g.input('x', ['N', 4, 'H', 'W']);
    g.node('Mul', [x, excite(g, x, 'a', 4)], 'a.scaled');
    const small = g.node('MaxPool', [x], 'small', { kernel_shape: [2, 2], strides: [2, 2] });
    const twice = g.floats('twice', [1, 1, 2, 2]);
    g.node('Resize', [small, '', twice], 'up', nearest);
    g.node('Add', ['a.scaled', 'up'], 'sum');
    g.node('Mul', [small, excite(g, small, 'b', 4)], 'b.scaled');
    g.node('Resize', ['b.scaled', '', twice], 'b.up', nearest);
    g.node('Concat', ['b.up', 'sum'], 'y', { axis: 1 });
    const model = graphToModel(g.build('y'));
    const plain = await InferenceSession.create(model, { device, fusions: false });
    const session = await InferenceSession.create(model, { device, fusions: 'all' });
    for (const shape of [
      [2, 4, 8, 4],
      [1, 4, 4, 16],
    ]) {
      const length = shape.reduce((product, extent) => product * extent, 1);
      const feeds = { x: new Tensor('float32', integerFill(length, 1, -4, 4), shape) };
      expect((await session.run(feeds)).y).toEqual((await plain.run(feeds)).y);
    }
    const { steps } = await session.explain({ x: [2, 4, 8, 4] });
    expect(steps.filter(({ operator }) => operator === 'merge-maps')).toHaveLength(2);
    await session.release();
    await plain.release();
  });
});

describe('a lateral convolution and a coarser map', () => {
  const build = (resize: Readonly<Record<string, string>>, ...outputs: string[]): Graph => {
    const g = new GraphBuilder();
    const x = g.input('x', ['N', 4, 'H', 'W']);
    const weights = g.floats('w', Array.from(integerFill(24, 2, -2, 2)), [6, 4, 1, 1]);
    g.node('Conv', [x, weights], 'coarse', { strides: [2, 2] });
    g.conv(x, 'lateral', { ic: 4, oc: 6 });
    g.node('Resize', ['coarse', '', g.floats('twice', [1, 1, 2, 2])], 'up', { mode: 'nearest', ...resize });
    g.node('Add', ['lateral', 'up'], 'sum');
    g.node('Relu', ['sum'], 'y');
    return g.build('y', ...outputs);
  };
  const floors = { coordinate_transformation_mode: 'asymmetric', nearest_mode: 'floor' };
  const probe = probeOf({ x: [1, 4, 8, 8], lateral: [1, 6, 8, 8], up: [1, 6, 8, 8], sum: [1, 6, 8, 8] });

  it('are one node where every position repeats', () => {
    expect(fused(build(floors), [probe])).toEqual(['Conv', 'UpsampleSumConv+relu']);
    expect(fused(build({}), [probe])).toEqual(['Conv', 'UpsampleSumConv+relu']);
    const rounds = { ...floors, nearest_mode: 'ceil' };
    expect(fused(build(rounds), [probe])).toEqual(['Conv', 'Conv', 'Resize+residual+relu']);
    expect(fused(build(floors, 'lateral'), [probe])).toEqual(['Conv', 'Conv', 'Resize+residual+relu']);
  });

  it('change no bit, also where the extents broadcast after all', async () => {
    const device = await testDevice();
    const model = graphToModel(build(floors));
    const plain = await InferenceSession.create(model, { device, fusions: false });
    const session = await InferenceSession.create(model, { device, fusions: 'all' });
    for (const shape of [
      [2, 4, 6, 8],
      [1, 4, 1, 4],
      [1, 4, 4, 2],
    ]) {
      const length = shape.reduce((product, extent) => product * extent, 1);
      const feeds = { x: new Tensor('float32', integerFill(length, 1, -4, 4), shape) };
      expect((await session.run(feeds)).y).toEqual((await plain.run(feeds)).y);
    }
    const { steps } = await session.explain({ x: [2, 4, 6, 8] });
    expect(steps.flatMap(({ labels }) => labels).join()).toContain('residual-2x2');
    await session.release();
    await plain.release();
  });
});

describe('two transposed convolutions that end a text detection head', () => {
  const build = (strides: readonly number[], ...outputs: string[]): Graph => {
    const g = new GraphBuilder();
    const x = g.input('x', ['N', 6, 'H', 'W']);
    const first = g.floats('w1', Array.from(integerFill(120, 1, -2, 2)), [6, 5, 2, 2]);
    g.node('ConvTranspose', [x, first, g.floats('b1', [1, -2, 0, 3, -1])], 'a', { strides: [2, 2] });
    g.node('Relu', ['a'], 'b');
    const second = g.floats('w2', Array.from(integerFill(20, 2, -2, 2)), [5, 1, 2, 2]);
    g.node('ConvTranspose', ['b', second], 'c', { strides });
    g.node('Relu', ['c'], 'y');
    return g.build('y', ...outputs);
  };

  it('are one node where their taps tile the output', () => {
    expect(fused(build([2, 2]))).toEqual(['ConvTransposePair+relu']);
    expect(fused(build([2, 1]))).toEqual(['ConvTranspose+relu', 'ConvTranspose+relu']);
    expect(fused(build([2, 2], 'b'))).toEqual(['ConvTranspose+relu', 'ConvTranspose+relu']);
  });

  it('change no bit', async () => {
    const device = await testDevice();
    const model = graphToModel(build([2, 2]));
    const plain = await InferenceSession.create(model, { device, fusions: false });
    const session = await InferenceSession.create(model, { device, fusions: 'all' });
    const feeds = { x: new Tensor('float32', integerFill(180, 1, -4, 4), [2, 6, 3, 5]) };
    expect(await session.run(feeds)).toEqual(await plain.run(feeds));
    const { steps } = await session.explain({ x: [2, 6, 3, 5] });
    expect(steps.map(({ operator }) => operator)).toContain('conv-transpose-pair');
    await session.release();
    await plain.release();
  });
});

describe('steps that fusions for hardware save', () => {
  it.each([
    { name: 'mobilenet_v3_small', dims: [1, 3, 224, 224], gone: 45 },
    { name: 'ocr-cls', dims: [1, 3, 48, 192], gone: 28 },
    { name: 'ocr-det', dims: [1, 3, 640, 640], gone: 34 },
  ] as const)('of $name', async ({ name, dims, gone }) => {
    const model = await prepareModel(await modelBytes(name));
    const before = stepsOf(model.graph, dims);
    const after = stepsOf(withFewerLaunches(model).graph, dims);
    expect(before - after).toBe(gone);
  });
});

function stepsOf(graph: Graph, dims: readonly number[]): number {
  const [input] = graph.inputs;
  const { nodes, values } = inferShapes(graph, resolveDims(graph, { [input?.name ?? '']: dims }));
  const { steps } = planExecution({
    ...{ graph: { ...graph, nodes: [...nodes] }, values, algorithms: new Map(), mode: 'fast' },
    capabilities: defaultCapabilities({ software: false }),
  });
  return steps.length;
}
