/** Passes that change the shape of the graph: identities, reshapes, transposes, pads, means, products, dead code. */
import { describe, expect, it } from 'vitest';
import { assertTopological, GraphBuilder, outline } from '../../test/graph-builder.ts';
import type { AttributeValue, Graph } from '../graph.ts';
import { optimizeGraph } from './index.ts';

function optimized(graph: Graph): string[] {
  optimizeGraph(graph);
  assertTopological(graph);
  return outline(graph);
}

const intsOf = (graph: Graph, node: number, attribute: string): readonly number[] => {
  const value: AttributeValue | undefined = graph.nodes[node]?.attributes.get(attribute);
  return value?.kind === 'ints' ? value.value.map(Number) : [];
};

describe('identities', () => {
  it.each([
    ['Identity', {}],
    ['Dropout', {}],
    ['Concat', { axis: 1 }],
    ['Cast', { to: 1 }],
    ['Transpose', { perm: [0, 1, 2, 3] }],
    ['Pad', { pads: [0, 0, 0, 0, 0, 0, 0, 0] }],
  ])('%s %o goes', (opType, attributes) => {
    const g = new GraphBuilder();
    g.node(opType, [g.input('x')], 'i', attributes);
    g.node('GlobalMaxPool', ['i'], 'y');
    const graph = g.build('y');
    expect(optimized(graph)).toEqual(['GlobalMaxPool']);
    expect(graph.nodes[0]?.inputs).toEqual(['x']);
  });

  it('at a graph output gives the name to the producer, and its other readers follow', () => {
    const g = new GraphBuilder();
    g.node('GlobalMaxPool', [g.input('x')], 'p');
    g.node('Tanh', ['p'], 't');
    g.node('Identity', ['p'], 'y');
    const graph = g.build('y', 't');
    expect(optimized(graph)).toEqual(['GlobalMaxPool', 'Tanh']);
    expect(graph.nodes.map((node) => [node.inputs, node.outputs])).toEqual([
      [['x'], ['y']],
      [['y'], ['t']],
    ]);
  });

  it('between a graph input and a graph output, or of two outputs, stays', () => {
    const g = new GraphBuilder();
    g.node('Identity', [g.input('x')], 'y');
    expect(optimized(g.build('y'))).toEqual(['Identity']);

    const h = new GraphBuilder();
    h.node('Tanh', [h.input('x')], 'p');
    h.node('Identity', ['p'], 'y');
    expect(optimized(h.build('p', 'y'))).toEqual(['Tanh', 'Identity']);
  });

  it('Dropout whose mask is read, or that trains, stays', () => {
    const g = new GraphBuilder();
    g.node('Dropout', [g.input('x')], 'd');
    const graph = g.build('d', 'mask');
    graph.nodes = graph.nodes.map((node) => ({ ...node, outputs: ['d', 'mask'] }));
    expect(optimized(graph)).toEqual(['Dropout']);
  });

  it('a shared constant behind Identity is read directly', () => {
    const g = new GraphBuilder();
    g.node('Identity', [g.floats('shared', [1, 2], [2])], 'b');
    const w = g.floats('w', [1, 2, 3, 4], [2, 2, 1, 1]);
    g.node('Conv', [g.input('x'), w, 'b'], 'y');
    const graph = g.build('y');
    expect(optimized(graph)).toEqual(['Conv']);
    expect(graph.nodes[0]?.inputs).toEqual(['x', 'w', 'shared']);
  });
});

describe('dead code', () => {
  it('goes with everything that only it reads, constants included', () => {
    const g = new GraphBuilder();
    g.conv(g.input('x'), 'c');
    g.node('Tanh', ['c'], 't');
    g.node('Relu', ['x'], 'y');
    const graph = g.build('y');
    expect(optimized(graph)).toEqual(['Relu']);
    expect(graph.constants.size).toBe(0);
  });
});

describe('transposes and reshapes', () => {
  it('compose, and cancel', () => {
    const g = new GraphBuilder();
    g.node('Transpose', [g.input('x')], 'p', { perm: [0, 2, 3, 1] });
    g.node('Transpose', ['p'], 'q', { perm: [0, 2, 1, 3] });
    g.node('GlobalMaxPool', ['q'], 'y');
    const graph = g.build('y');
    expect(optimized(graph)).toEqual(['Transpose', 'GlobalMaxPool']);
    expect(intsOf(graph, 0, 'perm')).toEqual([0, 3, 2, 1]);

    const h = new GraphBuilder();
    h.node('Transpose', [h.input('x')], 'p', { perm: [0, 2, 3, 1] });
    h.node('Transpose', ['p'], 'q', { perm: [0, 3, 1, 2] });
    h.node('GlobalMaxPool', ['q'], 'y');
    expect(optimized(h.build('y'))).toEqual(['GlobalMaxPool']);
  });

  it('Reshape behind a reshaping operator decides alone, unless it copies an extent', () => {
    for (const [target, expected] of [
      [[-1, 8], ['Reshape']],
      [
        [0, 8],
        ['Flatten', 'Reshape'],
      ],
    ] as const) {
      const g = new GraphBuilder();
      g.node('Flatten', [g.input('x')], 'f');
      g.node('Reshape', ['f', g.integers('target', target)], 'y');
      expect(optimized(g.build('y'))).toEqual(expected);
    }
  });
});

describe('means', () => {
  const mean = (axes: readonly number[], keepdims: number, rank = 4): string[] => {
    const g = new GraphBuilder();
    const x = g.input('x', ['N', 3, 7, 11, 5].slice(0, rank));
    g.node('ReduceMean', [x, g.integers('axes', axes)], 'y', { keepdims });
    return optimized(g.build('y'));
  };

  it('over the spatial axes are global average pools', () => {
    expect(mean([2, 3], 1)).toEqual(['GlobalAveragePool']);
    expect(mean([-1, -2], 1)).toEqual(['GlobalAveragePool']);
    expect(mean([2, 3], 0)).toEqual(['GlobalAveragePool', 'Flatten']);
  });

  it('over others stay', () => {
    expect(mean([1, 2], 1)).toEqual(['ReduceMean']);
    expect(mean([3], 1)).toEqual(['ReduceMean']);
    expect(mean([2, 3], 1, 5)).toEqual(['ReduceMean']);
    expect(mean([-1, -2], 1, 3)).toEqual(['ReduceMean']);
  });

  it('take their axes from the attribute of older opsets', () => {
    const g = new GraphBuilder();
    g.node('ReduceMean', [g.input('x', ['N', 3, 7, 11])], 'y', { axes: [2, 3] });
    expect(optimized(g.build('y'))).toEqual(['GlobalAveragePool']);
  });
});

describe('products', () => {
  const product = (rank: number, bias: readonly number[]): string[] => {
    const g = new GraphBuilder();
    g.node(
      'MatMul',
      [g.input('x', ['N', 5, 3].slice(3 - rank)), g.floats('w', [1, 2, 3, 4, 5, 6], [3, 2])],
      'p',
    );
    g.node('Add', ['p', g.floats('b', [1, 2], bias)], 'y');
    return optimized(g.build('y'));
  };

  it('of rank 2 with a bias are Gemm', () => {
    expect(product(2, [2])).toEqual(['Gemm']);
    expect(product(2, [1, 2])).toEqual(['Gemm']);
  });

  it('of rank 3, or with another constant, stay', () => {
    expect(product(3, [2])).toEqual(['MatMul', 'Add']);
    expect(product(2, [2, 1])).toEqual(['MatMul', 'Add']);
  });
});

describe('pads', () => {
  type Attributes = Parameters<GraphBuilder['node']>[3];
  const PADS = [0, 0, 1, 2, 0, 0, 3, 4];
  const padded = (options: {
    opType: string;
    attributes?: Attributes;
    pads?: readonly number[];
    value?: number;
    mode?: string;
    relu?: boolean;
  }): Graph => {
    const g = new GraphBuilder();
    const x = g.input('x', ['N', 2, 13, 17]);
    const from = options.relu === true ? g.node('Relu', [x], 'r') : x;
    const value = options.value === undefined ? '' : g.floats('value', [options.value]);
    const inputs = [from, g.integers('pads', options.pads ?? PADS), value];
    g.node('Pad', inputs, 'p', { mode: options.mode ?? 'constant' });
    const w = options.opType === 'Conv' ? [g.floats('w', new Array(36).fill(1), [2, 2, 3, 3])] : [];
    g.node(options.opType, ['p', ...w], 'y', { kernel_shape: [3, 3], ...options.attributes });
    return g.build('y');
  };

  it('with zeros move into Conv, on top of its own', () => {
    const graph = padded({ opType: 'Conv', attributes: { pads: [1, 0, 0, 1] } });
    expect(optimized(graph)).toEqual(['Conv']);
    expect(intsOf(graph, 0, 'pads')).toEqual([2, 2, 3, 5]);
    expect(graph.nodes[0]?.inputs[0]).toBe('x');
  });

  it('with zeros move into AveragePool and are counted', () => {
    const graph = padded({ opType: 'AveragePool', value: 0 });
    expect(optimized(graph)).toEqual(['AveragePool']);
    expect(graph.nodes[0]?.attributes.get('count_include_pad')).toEqual({ kind: 'int', value: 1n });
  });

  it('with the lowest value, or with zeros behind a relu, move into MaxPool', () => {
    const lowest = -3.4028234663852886e38;
    expect(optimized(padded({ opType: 'MaxPool', value: lowest }))).toEqual(['MaxPool']);
    const small = [0, 0, 1, 2, 0, 0, 0, 1];
    expect(optimized(padded({ opType: 'MaxPool', relu: true, pads: small }))).toEqual(['Relu', 'MaxPool']);
  });

  it.each([
    { opType: 'Conv', value: 1 },
    { opType: 'Conv', mode: 'reflect' },
    { opType: 'Conv', pads: [0, 1, 0, 0, 0, 0, 0, 0] },
    { opType: 'Conv', pads: [0, 0, -1, 0, 0, 0, 0, 0] },
    { opType: 'Conv', attributes: { auto_pad: 'SAME_UPPER' } },
    { opType: 'AveragePool', attributes: { ceil_mode: 1 } },
    { opType: 'AveragePool', attributes: { pads: [1, 1, 1, 1] } },
    { opType: 'MaxPool' },
    { opType: 'MaxPool', relu: true },
    { opType: 'MaxPool', relu: true, pads: [0, 0, 1, 1, 0, 0, 1, 1], attributes: { ceil_mode: 1 } },
  ])('stay where moving is not exact: %o', (options) => {
    expect(optimized(padded(options))).toContain('Pad');
  });
});

describe('the report', () => {
  it('names pass, node and what it covers', () => {
    const g = new GraphBuilder();
    g.conv(g.input('x'), 'c');
    g.batchNorm('c', 'n', 2);
    g.node('Relu', ['n'], 'y');
    const report = optimizeGraph(g.build('y'));
    expect(report).toMatchObject({ nodesBefore: 3, nodesAfter: 1 });
    expect(report.fusions).toEqual([
      { pass: 'fold-channel-affine', node: 'node-c', operator: 'Conv', covers: ['node-c', 'node-n'] },
      { pass: 'fuse-activation', node: 'node-c', operator: 'Conv', covers: ['node-c', 'node-n', 'node-y'] },
    ]);
  });
});
