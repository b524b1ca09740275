import { UnsupportedOperatorError } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import { buildModel, type NodeDescription } from '../test/model-builder.ts';
import { checkSupport, findUnsupported } from './check-support.ts';
import type { Graph } from './graph.ts';
import { importModel } from './import.ts';
import { decodeModel } from './proto/decode-model.ts';
import { Tensor } from './tensor.ts';

function graphOf(nodes: readonly NodeDescription[], opset = 17): Graph {
  const initializers = {
    yes: new Tensor('bool', [1], []),
    no: new Tensor('bool', [0], []),
    ratio: new Tensor('float32', [0.5], []),
  };
  const inputs = { x: { dims: [2, 3] } };
  return importModel(decodeModel(buildModel({ opset, inputs, outputs: ['x'], nodes, initializers }))).graph;
}

function reasonsOf(node: Partial<NodeDescription>, opset?: number): readonly string[] {
  const full = { op: 'Identity', name: 'n', inputs: ['x'], outputs: ['y'], ...node };
  return findUnsupported(graphOf([full], opset)).map((entry) => entry.reason);
}

describe('findUnsupported', () => {
  it('lets supported nodes pass', () => {
    expect(reasonsOf({})).toEqual([]);
    expect(reasonsOf({ op: 'Dropout', inputs: ['x', 'ratio', 'no'] })).toEqual([]);
    expect(reasonsOf({ op: 'Dropout', inputs: ['x', '', ''], attributes: { seed: 1 } })).toEqual([]);
  });

  const refusals: readonly (readonly [string, Partial<NodeDescription>, RegExp, number | undefined])[] = [
    ['an unknown operator', { op: 'Nonsense' }, /not implemented/, undefined],
    ['an unknown domain', { domain: 'com.example' }, /domain "com.example"/, undefined],
    ['an opset before the operator', { op: 'ConstantOfShape' }, /opset 8.*9 to/, 8],
    ['an opset after those we know', {}, /opset 1000/, 1000],
    ['too few inputs', { inputs: [] }, /got 0 inputs, expected 1/, undefined],
    ['too many inputs', { inputs: ['x', 'x'] }, /got 2 inputs, expected 1/, undefined],
    ['an absent input', { op: 'Range', inputs: ['', 'x', 'x'] }, /input 0 is absent/, undefined],
    ['an unknown attribute', { attributes: { colour: 1 } }, /"colour"/, undefined],
    ['what the operator refuses', { op: 'Dropout', inputs: ['x', 'ratio', 'yes'] }, /training/, undefined],
    [
      'a switch that only the run would know',
      { op: 'Dropout', inputs: ['x', 'ratio', 'x'] },
      /constant/,
      undefined,
    ],
    [
      'a Constant that holds no dense tensor',
      { op: 'Constant', inputs: [], attributes: { sparse_value: { graph: {} } } },
      /sparse_value/,
      undefined,
    ],
  ];

  it.each(refusals)('refuses %s', (_, node, message, opset) => {
    const reasons = reasonsOf(node, opset);
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(message);
  });
});

describe('operators of the host', () => {
  it('may follow extents, not data', () => {
    const shape = { op: 'Shape', inputs: ['x'], outputs: ['s'] };
    const of = (input: string): NodeDescription => ({
      op: 'NonZero',
      name: 'n',
      inputs: [input],
      outputs: ['y'],
    });
    expect(findUnsupported(graphOf([shape, of('s')]))).toEqual([]);
    const alias = { op: 'Identity', inputs: ['x'], outputs: ['a'] };
    const [refused] = findUnsupported(graphOf([alias, of('a')]));
    expect(refused?.reason).toMatch(/host only.*"a" is computed from the data/);
  });
});

describe('checkSupport', () => {
  it('throws one error that lists everything', () => {
    const graph = graphOf([
      { op: 'Nonsense', name: 'first', inputs: ['x'], outputs: ['a'] },
      { op: 'Identity', name: 'fine', inputs: ['a'], outputs: ['b'] },
      { op: 'Identity', domain: 'com.example', name: 'second', inputs: ['b'], outputs: ['c'] },
    ]);
    const imported = [{ node: 'w', operator: 'initializer', reason: 'element type int4 is not supported' }];
    let thrown: unknown;
    try {
      checkSupport(graph, imported);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UnsupportedOperatorError);
    const { nodes, message } = thrown as UnsupportedOperatorError;
    expect(nodes.map((entry) => entry.node)).toEqual(['w', 'first', 'second']);
    for (const text of ['int4', 'Nonsense "first"', 'com.example.Identity "second"'])
      expect(message).toContain(text);
  });
});
