import { describe, expect, it } from 'vitest';
import { modelInfo } from '../src/model-info.ts';
import { nodeMultiplyAdds } from '../src/multiply-adds.ts';
import type { ValueInfo } from '../src/op-definition.ts';
import { Tensor } from '../src/tensor.ts';
import { buildModel } from './model-builder.ts';

describe('modelInfo', () => {
  const bytes = buildModel({
    opset: 15,
    domains: { 'com.example': 2 },
    inputs: { x: { dims: ['n', 4] } },
    outputs: { y: { dims: ['n', 2, 2] } },
    nodes: [
      { op: 'Reshape', inputs: ['x', 'to'], outputs: ['a'] },
      { op: 'Identity', inputs: ['a'], outputs: ['b'] },
      { op: 'Identity', inputs: ['b'], outputs: ['y'] },
    ],
    initializers: { to: new Tensor('int64', [0n, 2n, 2n]), w: new Tensor('float32', [1, 2, 3]) },
  });

  it('describes a model', () => {
    expect(modelInfo(bytes)).toEqual({
      name: 'graph',
      producer: 'model-builder',
      irVersion: 8,
      opsets: { '': 15, 'com.example': 2 },
      inputs: [{ name: 'x', type: 'float32', dims: ['n', 4] }],
      outputs: [{ name: 'y', type: 'float32', dims: ['n', 2, 2] }],
      freeDimensions: [{ input: 'x', axis: 0, symbol: 'n' }],
      operators: [
        { operator: 'Identity', count: 2 },
        { operator: 'Reshape', count: 1 },
      ],
      parameters: 3,
      constantBytes: 36,
      unsupported: [],
      multiplyAdds: undefined,
    });
  });

  it('counts work once every extent is known', () => {
    expect(modelInfo(bytes, { shapes: { x: [5, 4] } }).multiplyAdds).toBe(0);
  });

  it('lists nodes and inputs of types that are not built, as a session does', () => {
    const node = { op: 'Softmax', name: 'soft', inputs: ['x'], outputs: ['y'] };
    const integers = {
      inputs: { x: { type: 'int32', dims: [2, 3] } },
      outputs: ['y'],
      nodes: [node],
    } as const;
    expect(modelInfo(buildModel(integers))).toMatchObject({
      unsupported: [{ node: 'soft', operator: 'Softmax' }],
      multiplyAdds: undefined,
    });
    const doubles = { inputs: { x: { type: 'float64', dims: ['n', 3] } }, outputs: ['y'] } as const;
    const copy = { ...doubles, nodes: [{ op: 'Identity', inputs: ['x'], outputs: ['y'] }] };
    expect(modelInfo(buildModel(copy)).unsupported[0]).toMatchObject({ node: 'x', operator: 'value' });
  });

  it('lists unsupported nodes instead of throwing', () => {
    const broken = buildModel({
      inputs: { x: {} },
      outputs: ['y'],
      nodes: [{ op: 'Odd', inputs: ['x'], outputs: ['y'] }],
    });
    expect(modelInfo(broken).unsupported).toEqual([
      { node: 'Odd_0', operator: 'Odd', reason: expect.any(String) },
    ]);
  });
});

describe('nodeMultiplyAdds', () => {
  const count = (opType: string, dims: readonly (readonly number[])[], transA = 0n): number => {
    const values = new Map<string, ValueInfo>(
      dims.map((extents, index) => [
        ['src', 'weights', 'dst'][index] ?? '',
        { type: 'float32', dims: extents },
      ]),
    );
    return nodeMultiplyAdds(
      {
        name: 'n',
        opType,
        domain: '',
        inputs: ['src', 'weights'],
        outputs: ['dst'],
        attributes: new Map([['transA', { kind: 'int', value: transA }]]),
        epilogue: { residual: '', activation: [] },
        covers: ['n'],
      },
      values,
    );
  };

  it.each([
    [
      'Conv',
      [
        [1, 4, 7, 9],
        [6, 2, 3, 5],
        [1, 6, 5, 5],
      ],
      6 * 25 * 2 * 15,
    ],
    [
      'ConvTranspose',
      [
        [1, 4, 7, 9],
        [4, 3, 2, 2],
        [1, 3, 14, 18],
      ],
      4 * 63 * 3 * 4,
    ],
    [
      'Gemm',
      [
        [3, 5],
        [5, 7],
        [3, 7],
      ],
      3 * 5 * 7,
    ],
    [
      'MatMul',
      [
        [2, 3, 5],
        [5, 7],
        [2, 3, 7],
      ],
      2 * 3 * 5 * 7,
    ],
    ['Relu', [[3, 5], [], [3, 5]], 0],
  ])('%s', (opType, dims, expected) => {
    expect(count(opType, dims)).toBe(expected);
  });

  it('Gemm with a transposed', () => {
    expect(
      count(
        'Gemm',
        [
          [5, 3],
          [5, 7],
          [3, 7],
        ],
        1n,
      ),
    ).toBe(3 * 5 * 7);
  });
});
