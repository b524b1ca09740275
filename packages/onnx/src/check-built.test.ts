/** A model whose types no kernel takes is refused at load, every node and value at once. */
import { UnsupportedOperatorError } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import { checkBuilt } from './check-built.ts';
import { EMPTY_EPILOGUE, type Graph, type GraphNode } from './graph.ts';
import { inferShapes } from './infer-shapes.ts';
import type { TensorType } from './tensor.ts';

function node(opType: string, inputs: readonly string[], output: string): GraphNode {
  return {
    name: `${opType} of ${inputs.join(', ')}`,
    opType,
    domain: '',
    inputs,
    outputs: [output],
    attributes: new Map(),
    epilogue: EMPTY_EPILOGUE,
    covers: [],
  };
}

function refusals(type: TensorType, nodes: GraphNode[], second = type): readonly string[] {
  const inputs = [
    { name: 'x', type, dims: [5, 2] },
    { name: 'y', type: second, dims: [5, 2] },
  ];
  const graph: Graph = { name: '', opset: 18, inputs, outputs: [], nodes, constants: new Map() };
  const feeds = new Map(inputs.map((input) => [input.name, input] as const));
  try {
    checkBuilt(graph, inferShapes(graph, feeds).values);
    return [];
  } catch (error) {
    if (!(error instanceof UnsupportedOperatorError)) throw error;
    return error.nodes.map((entry) => `${entry.operator} ${entry.node}`);
  }
}

describe('checkBuilt', () => {
  it('lets floats pass, and shape arithmetic of 64-bit integers beside it', () => {
    const nodes = [
      node('Add', ['x', 'y'], 'sum'),
      node('Shape', ['sum'], 'shape'),
      node('Reshape', ['sum', 'shape'], 'z'),
    ];
    expect(refusals('float32', nodes)).toEqual([]);
    expect(refusals('float16', nodes)).toEqual([]);
  });

  it('lists every value and node of a type that is not built', () => {
    const nodes = [node('Add', ['x', 'y'], 'sum'), node('Mul', ['sum', 'y'], 'product')];
    expect(refusals('float64', nodes)).toEqual([
      'value x',
      'value y',
      'Add Add of x, y',
      'Mul Mul of sum, y',
    ]);
  });

  it('lets integers be moved and computed, but not by functions of floats', () => {
    expect(refusals('int32', [node('Concat', ['x', 'y'], 'both')])).toEqual([]);
    expect(refusals('int32', [node('Pow', ['x', 'y'], 'power')])).toEqual([]);
    expect(refusals('int32', [node('Exp', ['x'], 'power')])).toEqual(['Exp Exp of x']);
  });

  it('refuses functions of bits and of bools of floats, and tests of floats of integers', () => {
    const functions = [
      node('And', ['x', 'y'], 'both'),
      node('Not', ['x'], 'not'),
      node('IsNaN', ['x'], 'nan'),
    ];
    const [and, not, nan] = functions.map((entry) => `${entry.opType} ${entry.name}`);
    expect(refusals('float32', functions)).toEqual([and, not]);
    expect(refusals('int32', functions)).toEqual([not, nan]);
  });

  it('refuses inputs of different types where their bits would be read as one', () => {
    const mixed: readonly (readonly [string, TensorType])[] = [
      ['Equal', 'int32'],
      ['Less', 'uint8'],
      ['Max', 'int32'],
      ['BitwiseOr', 'uint8'],
      ['Concat', 'float16'],
      ['Gather', 'float32'],
    ];
    for (const [opType, second] of mixed) {
      const first = opType === 'BitwiseOr' ? 'int32' : 'float32';
      expect(refusals(first, [node(opType, ['x', 'y'], 'z')], second), opType).toEqual([
        `${opType} ${opType} of x, y`,
      ]);
    }
    expect(refusals('bool', [node('Where', ['x', 'x', 'y'], 'z')], 'uint8')).toHaveLength(1);
    expect(refusals('int32', [node('Where', ['x', 'x', 'y'], 'z')])).toHaveLength(1);
    expect(refusals('int32', [node('Less', ['x', 'y'], 'z')], 'int8')).toEqual([]);
    expect(refusals('float32', [node('Less', ['x', 'y'], 'z')], 'float16')).toEqual([]);
  });
});
