/** Activations and residuals move into the epilogue of their producer; exporters' patterns are recognised. */
import { describe, expect, it } from 'vitest';
import { assertTopological, GraphBuilder, outline, probeOf } from '../../test/graph-builder.ts';
import type { Graph } from '../graph.ts';
import { type OptimizeOptions, optimizeGraph } from './index.ts';

function optimized(graph: Graph, options: OptimizeOptions = {}): string[] {
  optimizeGraph(graph, options);
  assertTopological(graph);
  return outline(graph);
}

const float = (value: number) => ({ kind: 'float', value }) as const;

describe('unary operators behind a convolution', () => {
  it.each([
    ['Relu', {}, { kind: 'relu' }],
    ['Sigmoid', {}, { kind: 'sigmoid' }],
    ['Tanh', {}, { kind: 'tanh' }],
    ['HardSwish', {}, { kind: 'hard-swish' }],
    ['HardSigmoid', {}, { kind: 'hard-sigmoid', alpha: 0.2, beta: 0.5 }],
    ['HardSigmoid', { alpha: float(0.25) }, { kind: 'hard-sigmoid', alpha: 0.25, beta: 0.5 }],
    ['LeakyRelu', {}, { kind: 'leaky-relu', alpha: 0.01 }],
    ['LeakyRelu', { alpha: float(0.5) }, { kind: 'leaky-relu', alpha: 0.5 }],
    ['Elu', { alpha: float(2) }, { kind: 'elu', alpha: 2 }],
    ['Gelu', { approximate: 'tanh' }, { kind: 'gelu-tanh' }],
    ['Clip', { min: float(0), max: float(6) }, { kind: 'clip', min: 0, max: 6 }],
    ['Clip', { max: float(6) }, { kind: 'clip', min: Number.NEGATIVE_INFINITY, max: 6 }],
  ])('%s %o', (opType, attributes, step) => {
    const g = new GraphBuilder();
    g.conv(g.input('x'), 'c');
    g.node(opType, ['c'], 'y', attributes);
    const graph = g.build('y');
    optimized(graph);
    expect(graph.nodes).toHaveLength(1);
    expect(graph.nodes[0]?.epilogue.activation).toEqual([step]);
    expect(graph.nodes[0]?.covers).toEqual(['node-c', 'node-y']);
    expect(graph.nodes[0]?.outputs).toEqual(['y']);
  });

  it('Clip with constant inputs, one of them absent', () => {
    const g = new GraphBuilder();
    g.conv(g.input('x'), 'c');
    g.node('Clip', ['c', '', g.floats('six', [6])], 'y');
    const graph = g.build('y');
    optimized(graph);
    const bounds = { kind: 'clip', min: Number.NEGATIVE_INFINITY, max: 6 };
    expect(graph.nodes[0]?.epilogue.activation).toEqual([bounds]);
  });

  it('Clip with a computed bound stays', () => {
    const g = new GraphBuilder();
    g.conv(g.input('x'), 'c');
    g.node('Clip', ['c', g.input('bound', [])], 'y');
    expect(optimized(g.build('y'))).toEqual(['Conv', 'Clip']);
  });

  it.each(['ConvTranspose', 'Gemm', 'MatMul'])('behind %s', (opType) => {
    const g = new GraphBuilder();
    const dims = opType === 'ConvTranspose' ? [2, 2, 1, 1] : [2, 2];
    g.node(opType, [g.input('x'), g.floats('w', [1, 2, 3, 4], dims)], 'c');
    g.node('Relu', ['c'], 'y');
    expect(optimized(g.build('y'))).toEqual([`${opType}+relu`]);
  });

  it.each(['Add', 'Sub', 'Mul', 'Div'])('behind %s of two values, in float32 alone', (opType) => {
    for (const type of ['float32', 'int64'] as const) {
      const g = new GraphBuilder();
      g.node(opType, [g.input('a', ['N'], type), g.input('b', ['N'], type)], 'c');
      g.node('Relu', ['c'], 'y');
      expect(optimized(g.build('y'))).toEqual(type === 'float32' ? [`${opType}+relu`] : [opType, 'Relu']);
    }
  });

  it('a value that is read twice or is a graph output stays', () => {
    const g = new GraphBuilder();
    g.conv(g.input('x'), 'c');
    g.node('Relu', ['c'], 'y');
    g.node('Tanh', ['c'], 'z');
    expect(optimized(g.build('y', 'z'))).toEqual(['Conv', 'Relu', 'Tanh']);

    const h = new GraphBuilder();
    h.conv(h.input('x'), 'c');
    h.node('Relu', ['c'], 'y');
    expect(optimized(h.build('y', 'c'))).toEqual(['Conv', 'Relu']);
  });

  it('scalar Mul and Add behind the activation become one affine step, before it they go into the weights', () => {
    const g = new GraphBuilder();
    g.conv(g.input('x'), 'c');
    g.node('Mul', [g.floats('a', [2], [1]), 'c'], 'm');
    g.node('Add', ['m', g.floats('b', [3], [1])], 'n');
    g.node('HardSwish', ['n'], 'h');
    g.node('Mul', [g.floats('s', [4], [1]), 'h'], 'o');
    g.node('Add', ['o', g.floats('t', [5], [1])], 'y');
    const graph = g.build('y');
    optimized(graph);
    expect(graph.nodes[0]?.epilogue.activation).toEqual([
      { kind: 'hard-swish' },
      { kind: 'affine', scale: 4, shift: 5 },
    ]);
    expect(Array.from(graph.constants.get('node-c.bias')?.data as Float32Array)).toEqual([5, 7]);
  });

  it('a per-channel constant behind an activation stays', () => {
    const g = new GraphBuilder();
    g.conv(g.input('x'), 'c');
    g.node('Relu', ['c'], 'r');
    g.node('Mul', ['r', g.floats('k', [2, 3], [2, 1, 1])], 'y');
    expect(optimized(g.build('y'))).toEqual(['Conv+relu', 'Mul']);
  });
});

/** Ways exporters write the function, from `x` to `y`; expected as the epilogue of the Conv that makes x. */
const PATTERNS: readonly (readonly [string, string, (g: GraphBuilder, x: string) => void])[] = [
  [
    'hard-swish as Add, Clip, Mul, Div (Paddle)',
    'hard-swish',
    (g, x) => {
      g.node('Add', [x, g.floats('three', [3])], 'p');
      g.node('Clip', ['p', g.floats('zero', [0]), g.floats('six', [6])], 'q');
      g.node('Mul', [x, 'q'], 'r');
      g.node('Div', ['r', g.floats('six.2', [6])], 'y');
    },
  ],
  [
    'hard-swish as Add, Clip with attributes, Mul, Mul by a sixth',
    'hard-swish',
    (g, x) => {
      g.node('Add', [g.floats('three', [3]), x], 'p');
      g.node('Clip', ['p'], 'q', { min: float(0), max: float(6) });
      g.node('Mul', ['q', x], 'r');
      g.node('Mul', ['r', g.floats('sixth', [1 / 6])], 'y');
    },
  ],
  [
    'hard-swish as Add, Clip, Div, Mul',
    'hard-swish',
    (g, x) => {
      g.node('Add', [x, g.floats('three', [3])], 'p');
      g.node('Clip', ['p', g.floats('zero', [0]), g.floats('six', [6])], 'q');
      g.node('Div', ['q', g.floats('six.2', [6])], 'r');
      g.node('Mul', [x, 'r'], 'y');
    },
  ],
  [
    'hard-swish as x * HardSigmoid(x)',
    'hard-swish',
    (g, x) => {
      g.node('HardSigmoid', [x], 'p', { alpha: float(Math.fround(1 / 6)) });
      g.node('Mul', [x, 'p'], 'y');
    },
  ],
  [
    'hard-swish as HardSigmoid(x) * x',
    'hard-swish',
    (g, x) => {
      g.node('HardSigmoid', [x], 'p', { alpha: float(Math.fround(1 / 6)) });
      g.node('Mul', ['p', x], 'y');
    },
  ],
  [
    'hard-sigmoid as Add, Clip, Div',
    'hard-sigmoid',
    (g, x) => {
      g.node('Add', [x, g.floats('three', [3])], 'p');
      g.node('Clip', ['p', g.floats('zero', [0]), g.floats('six', [6])], 'q');
      g.node('Div', ['q', g.floats('six.2', [6])], 'y');
    },
  ],
  [
    'SiLU',
    'silu',
    (g, x) => {
      g.node('Sigmoid', [x], 'p');
      g.node('Mul', [x, 'p'], 'y');
    },
  ],
  [
    'GELU as Div, Erf, Add, Mul, Mul',
    'gelu',
    (g, x) => {
      g.node('Div', [x, g.floats('root', [Math.SQRT2])], 'p');
      g.node('Erf', ['p'], 'q');
      g.node('Add', ['q', g.floats('one', [1])], 'r');
      g.node('Mul', [x, 'r'], 's');
      g.node('Mul', ['s', g.floats('half', [0.5])], 'y');
    },
  ],
  [
    'GELU as half of x times the rest',
    'gelu',
    (g, x) => {
      g.node('Mul', [x, g.floats('root', [Math.SQRT1_2])], 'p');
      g.node('Erf', ['p'], 'q');
      g.node('Add', ['q', g.floats('one', [1])], 'r');
      g.node('Mul', [x, g.floats('half', [0.5])], 's');
      g.node('Mul', ['s', 'r'], 'y');
    },
  ],
  [
    'Mish',
    'mish',
    (g, x) => {
      g.node('Softplus', [x], 'p');
      g.node('Tanh', ['p'], 'q');
      g.node('Mul', [x, 'q'], 'y');
    },
  ],
];

describe('patterns of exporters', () => {
  it.each(PATTERNS)('%s', (_, expected, write) => {
    const g = new GraphBuilder();
    // A pool takes no activation, so the whole pattern stays visible.
    g.conv(g.input('x'), 'c');
    g.node('GlobalMaxPool', ['c'], 'm');
    write(g, 'm');
    const pooled = g.build('y');
    const before = pooled.nodes.length;
    optimized(pooled);
    const [, , ...made] = pooled.nodes;
    expect(made).toHaveLength(1);
    expect(made[0]).toMatchObject({ domain: 'onegpu', opType: 'Activation', inputs: ['m'], outputs: ['y'] });
    expect(made[0]?.covers).toHaveLength(before - 2);
    expect(made[0]?.epilogue.activation.map((step) => step.kind)).toEqual([expected]);
  });

  const gates = PATTERNS.filter(([, expected]) => expected !== 'hard-sigmoid');
  it.each(gates)('%s, in the epilogue of a convolution', (_, expected, write) => {
    const g = new GraphBuilder();
    write(g, g.conv(g.input('x'), 'c'));
    expect(optimized(g.build('y'))).toEqual([`Conv+${expected}`]);
  });

  it('a gate that is read elsewhere stays', () => {
    const g = new GraphBuilder();
    g.conv(g.input('x'), 'c');
    g.node('Sigmoid', ['c'], 'p');
    g.node('Mul', ['c', 'p'], 'y');
    expect(optimized(g.build('y', 'p'))).toEqual(['Conv', 'Sigmoid', 'Mul']);
  });

  it('squeeze-excite is no gate of itself', () => {
    const g = new GraphBuilder();
    const x = g.conv(g.input('x'), 'c');
    g.node('GlobalAveragePool', [x], 'p');
    g.conv('p', 'q');
    g.node('Sigmoid', ['q'], 's');
    g.node('Mul', [x, 's'], 'y');
    expect(optimized(g.build('y'))).toEqual(['Conv', 'GlobalAveragePool', 'Conv+sigmoid', 'Mul']);
  });

  it('x + x * s adds one to s', () => {
    for (const order of [0, 1]) {
      const g = new GraphBuilder();
      const x = g.conv(g.input('x'), 'c');
      g.node('GlobalAveragePool', [x], 'p');
      g.conv('p', 'q');
      g.node('HardSigmoid', ['q'], 's');
      g.node('Mul', order === 0 ? [x, 's'] : ['s', x], 'm');
      g.node('Add', order === 0 ? [x, 'm'] : ['m', x], 'y');
      const graph = g.build('y');
      expect(optimized(graph)).toEqual(['Conv', 'GlobalAveragePool', 'Conv+hard-sigmoid+affine', 'Mul']);
      expect(graph.nodes[2]?.epilogue.activation[1]).toEqual({ kind: 'affine', scale: 1, shift: 1 });
    }
  });
});

describe('chains without a producer that could take them', () => {
  it('become one Activation node; a single operator stays', () => {
    const g = new GraphBuilder();
    g.node('Mul', [g.input('x', ['N', 3]), g.floats('a', [2])], 'p');
    g.node('Add', ['p', g.floats('b', [1])], 'q');
    g.node('Tanh', ['q'], 'y');
    const graph = g.build('y');
    expect(optimized(graph)).toEqual(['Activation+affine+tanh']);
    expect(graph.nodes[0]?.covers).toEqual(['node-p', 'node-q', 'node-y']);

    const h = new GraphBuilder();
    h.node('Tanh', [h.input('x')], 'y');
    expect(optimized(h.build('y'))).toEqual(['Tanh']);
  });

  it('that do nothing disappear', () => {
    const g = new GraphBuilder();
    g.node('Mul', [g.input('x', ['N', 3]), g.floats('a', [1])], 'p');
    g.node('Add', ['p', g.floats('b', [0])], 'q');
    g.node('GlobalMaxPool', ['q'], 'y');
    expect(optimized(g.build('y'))).toEqual(['GlobalMaxPool']);
  });

  it('of integers stay', () => {
    const g = new GraphBuilder();
    g.node('Abs', [g.input('x', ['N'], 'int64')], 'p');
    g.node('Neg', ['p'], 'y');
    expect(optimized(g.build('y'))).toEqual(['Abs', 'Neg']);
  });

  it('of shape arithmetic stay, for the host', () => {
    const g = new GraphBuilder();
    g.node('Shape', [g.input('x', ['N', 3])], 's');
    g.node('Cast', ['s'], 'f', { to: 1 });
    g.node('Mul', ['f', g.floats('two', [2])], 'm');
    g.node('Floor', ['m'], 'r');
    g.node('Cast', ['r'], 'y', { to: 7 });
    expect(optimized(g.build('y'))).toEqual(['Shape', 'Cast', 'Mul', 'Floor', 'Cast']);
  });

  it('keep the rank that a constant of rank 1 gives a scalar', () => {
    const g = new GraphBuilder();
    g.node('Mul', [g.input('x', []), g.floats('a', [2], [1])], 'p');
    g.node('Tanh', ['p'], 'y');
    expect(optimized(g.build('y'))).toEqual(['Mul+tanh']);
  });
});

describe('residual sums', () => {
  const sameEverywhere = [1, 3].map((n) =>
    probeOf({ x: [n, 2, 8, 8], a: [n, 2, 8, 8], b: [n, 2, 8, 8], c: [n, 2, 8, 8] }),
  );

  it('fuse with the activation behind them', () => {
    for (const order of [0, 1]) {
      const g = new GraphBuilder();
      const x = g.input('x', ['N', 2, 8, 8]);
      g.conv(x, 'a');
      g.node('Add', order === 0 ? ['a', x] : [x, 'a'], 's');
      g.node('Relu', ['s'], 'y');
      const graph = g.build('y');
      expect(optimized(graph, { probes: sameEverywhere })).toEqual(['Conv+residual+relu']);
      expect(graph.nodes[0]).toMatchObject({ name: 'node-a', covers: ['node-a', 'node-s', 'node-y'] });
      expect(graph.nodes[0]?.epilogue.residual).toBe('x');
    }
  });

  it('go into the later of two convolutions, behind the other in order', () => {
    const g = new GraphBuilder();
    const x = g.input('x', ['N', 2, 8, 8]);
    g.conv(x, 'a');
    g.conv(x, 'b');
    g.node('Add', ['a', 'b'], 'y');
    const graph = g.build('y');
    expect(optimized(graph, { probes: sameEverywhere })).toEqual(['Conv', 'Conv+residual']);
    expect(graph.nodes[1]).toMatchObject({ name: 'node-b', epilogue: { residual: 'a' } });
  });

  it('of a resized value fuse into the Resize', () => {
    const g = new GraphBuilder();
    const x = g.input('x', ['N', 2, 4, 4]);
    g.node('Mul', [x, x], 'm');
    g.node('Resize', ['m', '', g.floats('scales', [1, 1, 2, 2])], 'a');
    g.node('Add', [g.input('b', ['N', 2, 8, 8]), 'a'], 'y');
    expect(optimized(g.build('y'), { probes: sameEverywhere })).toEqual(['Mul', 'Resize+residual']);
  });

  it('wait for a value that is made after the convolution', () => {
    const g = new GraphBuilder();
    const x = g.input('x', ['N', 2, 8, 8]);
    g.conv(x, 'a');
    g.node('MaxPool', [x], 'b', { kernel_shape: [1, 1] });
    g.node('Add', ['a', 'b'], 'y');
    const graph = g.build('y');
    expect(optimized(graph, { probes: sameEverywhere })).toEqual(['MaxPool', 'Conv+residual']);
  });

  it('stay where an activation comes first, where the result is read elsewhere, and of a value with itself', () => {
    const g = new GraphBuilder();
    const x = g.input('x', ['N', 2, 8, 8]);
    g.conv(x, 'c');
    g.node('Relu', ['c'], 'a');
    g.node('Add', ['a', x], 'y');
    expect(optimized(g.build('y'), { probes: sameEverywhere })).toEqual(['Conv+relu', 'Add']);

    const h = new GraphBuilder();
    h.conv(h.input('x', ['N', 2, 8, 8]), 'a');
    h.node('Add', ['a', 'x'], 'y');
    expect(optimized(h.build('y', 'a'), { probes: sameEverywhere })).toEqual(['Conv', 'Add']);

    const twice = new GraphBuilder();
    twice.conv(twice.input('x', ['N', 2, 8, 8]), 'a');
    twice.node('Add', ['a', 'a'], 'y');
    expect(optimized(twice.build('y'), { probes: sameEverywhere })).toEqual(['Conv', 'Add']);
  });

  it.each([
    { why: 'without a probe', probes: [] },
    {
      why: 'where one probe sees a broadcast',
      probes: [...sameEverywhere, probeOf({ x: [1, 2, 8, 8], a: [3, 2, 8, 8] })],
    },
    { why: 'where a probe knows nothing', probes: [...sameEverywhere, probeOf({ x: [1, 2, 8, 8] })] },
  ])('stay $why', ({ probes }) => {
    const g = new GraphBuilder();
    g.conv(g.input('x', ['N', 2, 8, 8]), 'a');
    g.node('Add', ['a', 'x'], 'y');
    expect(optimized(g.build('y'), { probes })).toEqual(['Conv', 'Add']);
  });
});
