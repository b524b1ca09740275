/**
 * Fused and unfused sessions of one model give the same bits where every sum is exact: small integers, scales that
 * are powers of two, and pools over powers of two.
 */
import { integerFill, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';
import { GraphBuilder } from './graph-builder.ts';
import { graphToModel } from './graph-to-model.ts';

const float = (value: number) => ({ kind: 'float', value }) as const;

function weights(g: GraphBuilder, name: string, dims: readonly number[]): string {
  const length = dims.reduce((product, extent) => product * extent, 1);
  return g.floats(name, Array.from(integerFill(length, length, -2, 2)), dims);
}

interface Case {
  readonly name: string;
  readonly dims: readonly (readonly number[])[];
  /** Dispatches of nodes that fusion leaves. */
  readonly fused: number;
  readonly opset: number;
  readonly write: (g: GraphBuilder, x: string) => string;
}

const CASES: readonly Case[] = [
  {
    name: 'convolutions with normalisation, scalars, a residual sum and activations',
    dims: [
      [1, 3, 7, 11],
      [2, 3, 5, 6],
    ],
    fused: 3,
    opset: 17,
    write: (g, x) => {
      g.node('Conv', [x, weights(g, 'w0', [5, 3, 3, 3])], 'a', { pads: [1, 1, 1, 1] });
      g.batchNorm('a', 'b', 5);
      g.node('Relu', ['b'], 'c');
      g.node('Mul', [g.floats('two', [2], [1]), 'c'], 'd');
      g.node('Add', ['d', g.floats('one', [1], [1])], 'e');
      g.node('Conv', ['e', weights(g, 'w1', [5, 1, 3, 3])], 'f', { pads: [1, 1, 1, 1], group: 5 });
      g.node('Add', ['f', g.floats('channels', [1, -2, 3, -4, 5], [1, 5, 1, 1])], 'h');
      g.node('Add', ['e', 'h'], 'i');
      g.node('Clip', ['i', g.floats('low', [-64]), g.floats('high', [512])], 'j');
      g.node('Pad', ['j', g.integers('pads', [0, 0, 1, 0, 0, 0, 0, 2])], 'k');
      g.node('Conv', ['k', weights(g, 'w2', [6, 5, 2, 3])], 'l', { strides: [2, 1] });
      return g.node('LeakyRelu', ['l'], 'y', { alpha: float(0.5) });
    },
  },
  {
    name: 'transposed convolution, resize with a sum, padded pools',
    dims: [
      [1, 4, 6, 7],
      [2, 4, 3, 5],
    ],
    fused: 4,
    opset: 17,
    write: (g, x) => {
      g.node('ConvTranspose', [x, weights(g, 'w0', [4, 3, 2, 2])], 'a', { strides: [2, 2], group: 2 });
      g.batchNorm('a', 'b', 6);
      g.node('Conv', [x, weights(g, 'w1', [6, 4, 1, 1])], 'c');
      const scales = g.floats('scales', [1, 1, 2, 2]);
      g.node('Resize', ['c', '', scales], 'd', {
        mode: 'nearest',
        coordinate_transformation_mode: 'asymmetric',
        nearest_mode: 'floor',
      });
      g.node('Add', ['b', 'd'], 'e');
      g.node('Relu', ['e'], 'f');
      g.node('Pad', ['f', g.integers('pads', [0, 0, 1, 1, 0, 0, 1, 1])], 'h');
      return g.node('AveragePool', ['h'], 'y', { kernel_shape: [2, 2], strides: [2, 2] });
    },
  },
  {
    name: 'squeeze-excite with a shortcut, products, and a chain on the input',
    dims: [
      [1, 3, 8, 4],
      [3, 3, 4, 4],
    ],
    fused: 7,
    opset: 10,
    write: (g, x) => {
      g.node('Abs', [x], 'a');
      g.node('Sub', [g.floats('three', [3]), 'a'], 'b');
      g.node('Clip', ['b'], 'c', { min: float(-2), max: float(2) });
      g.node('ReduceMean', ['c'], 'd', { axes: [2, 3] });
      g.conv('d', 'e', { ic: 3, oc: 4 });
      g.node('Relu', ['e'], 'f');
      g.conv('f', 'h', { ic: 4, oc: 3 });
      g.node('Clip', ['h'], 'i', { min: float(0), max: float(1) });
      g.node('Mul', ['c', 'i'], 'j');
      g.node('Add', ['c', 'j'], 'k');
      g.node('ReduceMean', ['k'], 'l', { axes: [-1, -2], keepdims: 0 });
      g.node('MatMul', ['l', weights(g, 'w', [3, 5])], 'm');
      g.node('Add', ['m', g.floats('bias', [1, 2, 3, 4, 5])], 'n');
      return g.node('Relu', ['n'], 'y');
    },
  },
];

describe('fusion', () => {
  it.each(CASES)('of $name changes no bit', async ({ dims, fused, opset, write }) => {
    const device = await testDevice();
    const g = new GraphBuilder();
    const [, ...extents] = dims[0] ?? [];
    const output = write(g, g.input('x', ['N', extents[0] ?? 1, 'H', 'W']));
    const model = graphToModel({ ...g.build(output), opset });
    const plain = await InferenceSession.create(model, { device, fusions: false });
    const session = await InferenceSession.create(model, { device });
    for (const [seed, shape] of dims.entries()) {
      const length = shape.reduce((product, extent) => product * extent, 1);
      const feeds = { x: new Tensor('float32', integerFill(length, seed + 1, -4, 4), shape) };
      const expected = (await plain.run(feeds)).y;
      const actual = (await session.run(feeds)).y;
      expect(new Set(Array.from(expected?.data as Float32Array)).size).toBeGreaterThan(4);
      expect(actual?.dims).toEqual(expected?.dims);
      expect(actual?.data).toEqual(expected?.data);
    }
    const { steps } = await session.explain({ x: dims[0] ?? [] });
    const left = steps.filter((step) => step.nodes.length > 0).length;
    // Hardware adapters get further fusions (`launch-fusions.test.ts`).
    expect(left).toBeLessThanOrEqual(fused);
    if (device.capabilities.software) expect(left).toBe(fused);
    await session.release();
    await plain.release();
  });
});
