/** Networks that tests of sessions run, and their feeds. */
import { randomFill } from '@onegpu/testing';
import { Tensor } from '../src/index.ts';
import { buildModel } from './model-builder.ts';

/** Two convolutions around a residual connection. */
export function residualModel(): Uint8Array {
  const weights = (oc: number, ic: number, seed: number) =>
    new Tensor('float32', randomFill(oc * ic * 9, seed), [oc, ic, 3, 3]);
  return buildModel({
    inputs: { x: { type: 'float32', dims: ['batch', 3, 'height', 'width'] } },
    outputs: { y: { type: 'float32' } },
    nodes: [
      { op: 'Conv', inputs: ['x', 'w0'], outputs: ['a'], attributes: { pads: [1, 1, 1, 1] } },
      { op: 'Relu', inputs: ['a'], outputs: ['b'] },
      { op: 'Conv', inputs: ['b', 'w1'], outputs: ['c'], attributes: { pads: [1, 1, 1, 1] } },
      { op: 'Add', inputs: ['c', 'b'], outputs: ['d'] },
      { op: 'Relu', inputs: ['d'], outputs: ['e'] },
      { op: 'GlobalAveragePool', inputs: ['e'], outputs: ['p'] },
      { op: 'Flatten', inputs: ['p'], outputs: ['y'] },
    ],
    initializers: { w0: weights(8, 3, 1), w1: weights(8, 8, 2) },
  });
}

/** Values that tell where they belong, of both signs. */
export function integerFeed(dims: readonly number[]): { x: Tensor } {
  const length = dims.reduce((product, extent) => product * extent, 1);
  const data = Float32Array.from({ length }, (_, index) => (index % 1013) - 500 + (dims[3] ?? 0));
  return { x: new Tensor('float32', data, dims) };
}

/** Quick to compile. */
export function reluModel(): Uint8Array {
  return buildModel({
    inputs: { x: { type: 'float32', dims: ['batch', 3, 'height', 'width'] } },
    outputs: { y: { type: 'float32' } },
    nodes: [{ op: 'Relu', inputs: ['x'], outputs: ['y'] }],
  });
}

export function feed(dims: readonly number[], seed = 3): { x: Tensor } {
  const length = dims.reduce((product, extent) => product * extent, 1);
  return { x: new Tensor('float32', randomFill(length, seed), dims) };
}
