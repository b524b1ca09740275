/** Inputs that decide shapes are found from the value an operator asked for. */
import { describe, expect, it } from 'vitest';
import { EMPTY_EPILOGUE, type Graph, type GraphNode } from './graph.ts';
import { hostValueOf, inputsBehind } from './host-feeds.ts';
import { inferShapes } from './infer-shapes.ts';
import { Tensor } from './tensor.ts';

function node(opType: string, inputs: readonly string[], output: string): GraphNode {
  const attributes = new Map();
  return {
    name: output,
    opType,
    domain: '',
    inputs,
    outputs: [output],
    attributes,
    epilogue: EMPTY_EPILOGUE,
    covers: [output],
  };
}

const graph: Graph = {
  name: 'reshape by feeds',
  opset: 18,
  inputs: [
    { name: 'x', type: 'float32', dims: [6] },
    { name: 'target', type: 'int64', dims: [2] },
  ],
  outputs: [{ name: 'y', type: 'float32', dims: undefined }],
  nodes: [node('Identity', ['target'], 'shape'), node('Reshape', ['x', 'shape'], 'y')],
  constants: new Map(),
};

describe('host feeds', () => {
  it('names the inputs behind the value that inference lacked', () => {
    const feeds = new Map([
      ['x', { type: 'float32', dims: [6] } as const],
      ['target', { type: 'int64', dims: [2] } as const],
    ]);
    let failure: unknown;
    try {
      inferShapes(graph, feeds);
    } catch (error) {
      failure = error;
    }
    const value = hostValueOf(failure);
    expect(value).toBe('shape');
    expect(inputsBehind(graph, value ?? '')).toEqual(['target']);
  });

  it('plans once the values are there', () => {
    const constant = new Tensor('int64', [2n, 3n]);
    const { values } = inferShapes(
      graph,
      new Map([
        ['x', { type: 'float32', dims: [6] } as const],
        ['target', { type: 'int64', dims: [2], constant } as const],
      ]),
    );
    expect(values.get('y')?.dims).toEqual([2, 3]);
  });

  it('sees nothing of the kind in other errors', () => {
    expect(hostValueOf(new Error('other'))).toBeUndefined();
    expect(hostValueOf('text')).toBeUndefined();
  });
});
