import { InvalidModelError } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import {
  buildModel,
  encodeModel,
  type FunctionDescription,
  type ModelDescription,
  modelProto,
} from '../test/model-builder.ts';
import { type ImportedModel, importModel } from './import.ts';
import { decodeModel } from './proto/decode-model.ts';
import { Tensor } from './tensor.ts';

function imported(model: ModelDescription): ImportedModel {
  return importModel(decodeModel(buildModel(model)));
}

function relu(input: string, output: string, name = ''): NonNullable<ModelDescription['nodes']>[number] {
  return { op: 'Relu', name, inputs: [input], outputs: [output] };
}

const X = { x: { dims: [1, 3] } };

describe('importModel', () => {
  it('keeps types, extents and symbols of inputs and outputs', () => {
    const { graph } = imported({
      opset: 13,
      inputs: { x: { type: 'uint8', dims: ['batch', 3, '', -1] }, y: {} },
      outputs: { z: { type: 'uint8', dims: ['batch', 3] } },
      nodes: [{ op: 'Add', inputs: ['x', 'y'], outputs: ['z'] }],
    });
    expect(graph.opset).toBe(13);
    expect(graph.inputs).toEqual([
      { name: 'x', type: 'uint8', dims: ['batch', 3, '?', '?'] },
      { name: 'y', type: 'float32', dims: undefined },
    ]);
    expect(graph.outputs).toEqual([{ name: 'z', type: 'uint8', dims: ['batch', 3] }]);
  });

  it('does not ask for inputs that have an initializer', () => {
    const { graph } = imported({
      inputs: { x: { dims: [1] }, w: { dims: [1] } },
      outputs: ['y'],
      nodes: [{ op: 'Add', inputs: ['x', 'w'], outputs: ['y'] }],
      initializers: { w: new Tensor('float32', [2]) },
    });
    expect(graph.inputs.map((input) => input.name)).toEqual(['x']);
    expect(graph.constants.get('w')?.data).toEqual(new Float32Array([2]));
  });

  it.each([
    ['value', new Tensor('int8', [1, 2], [2, 1]), new Tensor('int8', [1, 2], [2, 1])],
    ['value_float', { float: 2 }, new Tensor('float32', [2], [])],
    ['value_floats', { floats: [2, 3] }, new Tensor('float32', [2, 3])],
    ['value_int', 5, new Tensor('int64', [5n], [])],
    ['value_ints', [5, -1], new Tensor('int64', [5n, -1n])],
    ['value_string', 'ab', new Tensor('string', ['ab'], [])],
  ] as const)('takes the %s of a Constant node', (name, value, expected) => {
    const { graph } = imported({
      outputs: ['c'],
      nodes: [{ op: 'Constant', outputs: ['c'], attributes: { [name]: value } }],
    });
    expect(graph.nodes).toEqual([]);
    expect(graph.constants.get('c')).toEqual(expected);
  });

  it('names nodes without a name and nodes of one name', () => {
    const { graph } = imported({
      inputs: X,
      outputs: ['d'],
      nodes: [relu('x', 'a'), relu('a', 'b', 'same'), relu('b', 'c', 'same'), relu('c', 'd', 'Relu_0')],
    });
    const names = graph.nodes.map((node) => node.name);
    expect(names).toEqual(["Relu_0'", 'same', 'same_2', 'Relu_0']);
    expect(graph.nodes.map((node) => node.covers)).toEqual(names.map((name) => [name]));
  });

  it('sorts nodes and leaves sorted ones alone', () => {
    const order = (nodes: ModelDescription['nodes']): readonly string[] =>
      imported({ inputs: X, outputs: ['c'], nodes: nodes ?? [] }).graph.nodes.map((node) => node.name);
    const [a, b, c] = [
      relu('x', 'a', 'A'),
      relu('x', 'b', 'B'),
      { ...relu('a', 'c', 'C'), inputs: ['b', 'a'] },
    ];
    expect(order([a, b, c])).toEqual(['A', 'B', 'C']);
    expect(order([b, a, c])).toEqual(['B', 'A', 'C']);
    expect(order([c, b, a])).toEqual(['B', 'A', 'C']);
  });

  it('sorts a chain of 20000 nodes given backwards', () => {
    const nodes = Array.from({ length: 20_000 }, (_, i) =>
      relu(i === 0 ? 'x' : `v${i - 1}`, `v${i}`),
    ).reverse();
    const { graph } = imported({ inputs: X, outputs: ['v19999'], nodes });
    expect(graph.nodes[0]?.inputs).toEqual(['x']);
  });

  it('takes ai.onnx for the default domain', () => {
    const { graph } = imported({
      inputs: X,
      outputs: ['y'],
      nodes: [{ ...relu('x', 'y'), domain: 'ai.onnx' }],
    });
    expect(graph.nodes[0]?.domain).toBe('');
  });

  it('collects what cannot be represented', () => {
    const proto = modelProto({ inputs: X, outputs: ['y'], nodes: [relu('x', 'y')] });
    const bytes = encodeModel({
      ...proto,
      graph: {
        ...proto.graph,
        input: [...(proto.graph?.input ?? []), { name: 's', type: { sequenceType: {} } }],
        initializer: [{ name: 'w', dims: [1], dataType: 16, rawData: new Uint8Array(2) }],
      },
    });
    expect(importModel(decodeModel(bytes)).unsupported).toEqual([
      { node: 'w', operator: 'initializer', reason: 'element type bfloat16 is not supported' },
      { node: 's', operator: 'input', reason: expect.stringContaining('not a tensor') },
    ]);
  });

  it('keeps a subgraph as an attribute with a reason', () => {
    const branch = {
      outputs: ['t'],
      nodes: [{ op: 'Constant', outputs: ['t'], attributes: { value_int: 1 } }],
    };
    const { graph } = imported({
      inputs: X,
      outputs: ['y'],
      nodes: [{ op: 'If', inputs: ['x'], outputs: ['y'], attributes: { then_branch: { graph: branch } } }],
    });
    const value = graph.nodes[0]?.attributes.get('then_branch');
    expect(value).toMatchObject({ kind: 'unsupported', value: expect.stringContaining('subgraph') });
  });
});

describe('importModel refuses', () => {
  const refusals: readonly (readonly [string, ModelDescription, RegExp])[] = [
    [
      'an input nobody makes',
      { outputs: ['y'], nodes: [relu('ghost', 'y', 'R')] },
      /Relu "R"\.inputs\[0\].*"ghost"/,
    ],
    ['an output nobody makes', { inputs: X, outputs: ['ghost'] }, /ghost/],
    [
      'a value made twice',
      { inputs: X, outputs: ['y'], nodes: [relu('x', 'y', 'A'), relu('x', 'y', 'B')] },
      /"y".*Relu "A" and Relu "B"/,
    ],
    [
      'a node that makes an input',
      { inputs: X, outputs: ['x'], nodes: [relu('x', 'x', 'A')] },
      /"x".*graph input/,
    ],
    [
      'a cycle',
      { inputs: X, outputs: ['c'], nodes: [relu('c', 'a', 'A'), relu('a', 'b', 'B'), relu('b', 'c', 'C')] },
      /cycle.*"A" -> "B" -> "C" -> "A"/,
    ],
    ['a node that reads itself', { outputs: ['a'], nodes: [relu('a', 'a', 'A')] }, /cycle.*"A" -> "A"/],
    ['a negative extent', { inputs: { x: { dims: [1, -2] } }, outputs: ['x'] }, /"x".*dims\[1\].*-2/],
    [
      'a node without an operator',
      { inputs: X, outputs: ['y'], nodes: [{ ...relu('x', 'y'), op: '' }] },
      /operator/,
    ],
    [
      'a Constant with two values',
      {
        outputs: ['c'],
        nodes: [{ op: 'Constant', outputs: ['c'], attributes: { value_int: 1, value_float: 2 } }],
      },
      /exactly one attribute.*value_int, value_float/,
    ],
    ['two versions of the default domain', { outputs: [], domains: { 'ai.onnx': 12 } }, /imported twice/],
    [
      'a reference to a function outside one',
      {
        inputs: X,
        outputs: ['y'],
        nodes: [{ ...relu('x', 'y'), attributes: { alpha: { ref: 'a', type: 1 } } }],
      },
      /reference to "a"/,
    ],
  ];

  it.each(refusals)('%s', (_, model, message) => {
    expect(() => imported(model)).toThrow(InvalidModelError);
    expect(() => imported(model)).toThrow(message);
  });

  it('a model without operator sets, unless it is older than they are', () => {
    const proto = modelProto({ inputs: X, outputs: ['y'], nodes: [relu('x', 'y')] });
    const without = (irVersion: number): ImportedModel =>
      importModel(decodeModel(encodeModel({ ...proto, irVersion, opsetImport: [] })));
    expect(() => without(8)).toThrow(/opset_import/);
    expect(without(2).graph.opset).toBe(1);
  });
});

describe('local functions', () => {
  const scaledRelu: FunctionDescription = {
    name: 'ScaledRelu',
    domain: 'local',
    inputs: ['a', 'b'],
    outputs: ['out', 'same'],
    attributes: ['slope'],
    nodes: [
      { op: 'LeakyRelu', inputs: ['a'], outputs: ['t'], attributes: { alpha: { ref: 'slope', type: 1 } } },
      { op: 'Mul', name: 'scale', inputs: ['t', 'b'], outputs: ['out'] },
    ],
  };
  // The second output hands an input through.
  const withPassThrough = { ...scaledRelu, outputs: ['out', 'b'] };
  const call = {
    op: 'ScaledRelu',
    domain: 'local',
    name: 'call',
    inputs: ['x', 'x'],
    outputs: ['y', 'z'],
    attributes: { slope: 0.25 },
  };
  const model = { inputs: X, outputs: ['y', 'z'], domains: { local: 1 } };

  it('are inlined with their attributes and outputs', () => {
    const { graph, unsupported } = imported({ ...model, nodes: [call], functions: [withPassThrough] });
    expect(unsupported).toEqual([]);
    expect(graph.nodes.map((node) => [node.opType, node.name, node.inputs, node.outputs])).toEqual([
      ['LeakyRelu', 'call/LeakyRelu_0', ['x'], ['call/t']],
      ['Mul', 'call/scale', ['call/t', 'x'], ['y']],
      ['Identity', 'call/Identity_1', ['x'], ['z']],
    ]);
    expect(graph.nodes[0]?.attributes.get('alpha')).toEqual({ kind: 'float', value: 0.25 });
  });

  it('may be called twice and call each other', () => {
    const outer: FunctionDescription = {
      name: 'Outer',
      domain: 'local',
      inputs: ['p'],
      outputs: ['q'],
      nodes: [
        { op: 'ScaledRelu', domain: 'local', inputs: ['p', 'p'], outputs: ['m', ''] },
        { op: 'ScaledRelu', domain: 'local', inputs: ['m', 'p'], outputs: ['q'] },
      ],
    };
    const nodes = [{ op: 'Outer', domain: 'local', name: 'o', inputs: ['x'], outputs: ['y'] }];
    const { graph } = imported({ ...model, outputs: ['y'], nodes, functions: [outer, scaledRelu] });
    expect(graph.nodes.map((node) => node.opType)).toEqual(['LeakyRelu', 'Mul', 'LeakyRelu', 'Mul']);
    expect(new Set(graph.nodes.flatMap((node) => node.outputs)).size).toBe(4);
    expect(graph.nodes[0]?.attributes.size).toBe(0);
  });

  it('that call themselves or use another opset are refused', () => {
    const recursive = { ...scaledRelu, nodes: [{ ...call, inputs: ['a', 'b'], outputs: ['out', 'same'] }] };
    const reasonOf = (entry: FunctionDescription): string =>
      imported({ ...model, nodes: [call], functions: [entry] }).unsupported[0]?.reason ?? '';
    expect(reasonOf(recursive)).toMatch(/calls itself/);
    expect(reasonOf({ ...withPassThrough, opset: 11 })).toMatch(/opset 11, the model 17/);
  });
});
