import { defaultCapabilities } from '@onegpu/core';
import { describe, expect, test } from 'vitest';
import { AttributeReader } from '../attributes.ts';
import { type AttributeValue, EMPTY_EPILOGUE, type GraphNode } from '../graph.ts';
import type { NodeContext, ValueInfo } from '../op-definition.ts';
import { Tensor } from '../tensor.ts';
import { findOperator } from './registry.ts';

interface NodeRequest {
  readonly opType: string;
  readonly dims: readonly (readonly number[] | undefined)[];
  readonly attributes?: Readonly<Record<string, number | string | readonly number[]>>;
  readonly opset?: number;
  /** Inputs from position 1 on are constants. */
  readonly constant?: boolean;
}

function attributeOf(value: number | string | readonly number[]): AttributeValue {
  if (typeof value === 'string') return { kind: 'string', value };
  if (typeof value === 'number') return { kind: 'int', value: BigInt(value) };
  return { kind: 'ints', value: value.map(BigInt) };
}

function contextOf(request: NodeRequest): NodeContext {
  const { opType, dims, attributes = {}, opset = 17 } = request;
  const node: GraphNode = {
    name: 'node',
    opType,
    domain: '',
    inputs: dims.map((entry, index) => (entry === undefined ? '' : `in${index}`)),
    outputs: ['out'],
    attributes: new Map(Object.entries(attributes).map(([name, value]) => [name, attributeOf(value)])),
    epilogue: EMPTY_EPILOGUE,
    covers: ['node'],
  };
  const inputs = dims.map((entry, index): ValueInfo | undefined => {
    if (entry === undefined) return undefined;
    const length = entry.reduce((total, extent) => total * extent, 1);
    const constant = new Tensor('float32', new Float32Array(length), entry);
    const info = { type: 'float32', dims: entry } as const;
    return request.constant === true && index > 0 ? { ...info, constant } : info;
  });
  return { node, opset, attributes: new AttributeReader(node), inputs };
}

function definitionOf(opType: string) {
  const definition = findOperator('', opType);
  if (definition === undefined) throw new Error(`${opType} is not registered`);
  return definition;
}

function dimsOf(request: NodeRequest): readonly number[] | undefined {
  return definitionOf(request.opType).infer(contextOf(request))[0]?.dims;
}

function refusalOf(request: NodeRequest): string | undefined {
  const { node, attributes, opset } = contextOf(request);
  return definitionOf(request.opType).check?.(node, attributes, opset, new Map());
}

const PAIR = [2, 2];

describe('Gemm', () => {
  test('dims follow the transposes', () => {
    const dims = [[3, 5], [7, 3], [7]];
    expect(dimsOf({ opType: 'Gemm', dims, attributes: { transA: 1, transB: 1 } })).toEqual([5, 7]);
  });

  test('before opset 7 C broadcasts only on request', () => {
    const request = { opType: 'Gemm', dims: [[3, 5], [5, 7], [7]], opset: 6 };
    expect(() => dimsOf(request)).toThrow('needs the attribute broadcast');
    expect(dimsOf({ ...request, attributes: { broadcast: 1 } })).toEqual([3, 7]);
  });

  test('refusals at load', () => {
    const dims = [
      [3, 5],
      [5, 7],
    ];
    expect(refusalOf({ opType: 'Gemm', dims, opset: 10 })).toContain('C is required');
    expect(refusalOf({ opType: 'Gemm', dims, attributes: { broadcast: 1 } })).toContain('broadcast');
    expect(refusalOf({ opType: 'Gemm', dims })).toBeUndefined();
  });
});

describe('MatMul', () => {
  test.each([
    [[4], [4], []],
    [[4], [2, 4, 3], [2, 3]],
    [[2, 5, 4], [4], [2, 5]],
    [
      [3, 1, 5, 4],
      [2, 4, 6],
      [3, 2, 5, 6],
    ],
  ])('%j times %j is %j', (a, b, expected) => {
    expect(dimsOf({ opType: 'MatMul', dims: [a, b] })).toEqual(expected);
  });

  test('another type is refused with its position', () => {
    const context = contextOf({ opType: 'MatMul', dims: [[4], [4]] });
    const inputs = [{ type: 'int32', dims: [4] } as const, context.inputs[1]];
    expect(() => definitionOf('MatMul').infer({ ...context, inputs })).toThrow('int32');
  });
});

describe('ConvTranspose', () => {
  const dims = [
    [1, 3, 3, 3],
    [3, 4, 3, 3],
  ];
  test.each([
    ['stride', { strides: PAIR }, [7, 7]],
    ['pads and output padding', { strides: PAIR, pads: [1, 1, 1, 1], output_padding: [1, 1] }, [6, 6]],
    ['SAME', { strides: PAIR, auto_pad: 'SAME_UPPER', output_padding: [1, 1] }, [6, 6]],
    ['VALID', { strides: PAIR, auto_pad: 'VALID' }, [7, 7]],
    ['output shape', { strides: PAIR, output_shape: [8, 5] }, [8, 5]],
    ['output shape with batch and channels', { strides: PAIR, output_shape: [1, 4, 8, 5] }, [8, 5]],
    ['dilations', { dilations: PAIR }, [7, 7]],
  ])('%s', (_, attributes, spatial) => {
    expect(dimsOf({ opType: 'ConvTranspose', dims, attributes })).toEqual([1, 4, ...spatial]);
  });

  test('one spatial axis keeps its rank', () => {
    const request = { opType: 'ConvTranspose', dims: [[2, 4, 7], [4, 2, 3], [4]], attributes: { group: 2 } };
    expect(dimsOf(request)).toEqual([2, 4, 9]);
  });

  test('three spatial axes, and four that are refused at load', () => {
    const volumes = [
      [2, 4, 3, 2, 5],
      [4, 2, 2, 3, 3],
    ];
    const attributes = { strides: [2, 2, 1], group: 2 };
    expect(dimsOf({ opType: 'ConvTranspose', dims: volumes, attributes })).toEqual([2, 4, 6, 5, 7]);
    const four = { kernel_shape: [2, 2, 2, 2] };
    expect(refusalOf({ opType: 'ConvTranspose', dims, attributes: four })).toContain('4 spatial axes');
  });

  test('a kernel_shape that contradicts the weights is refused', () => {
    const attributes = { kernel_shape: PAIR };
    expect(() => dimsOf({ opType: 'ConvTranspose', dims, attributes })).toThrow('kernel_shape');
  });

  test('channels last with constant weights, nchw where only direct would take them', () => {
    const layouts = (request: NodeRequest) =>
      definitionOf(request.opType).layouts?.(contextOf(request), ['nchw', 'nchw'])?.outputs;
    const request = {
      opType: 'ConvTranspose',
      dims: [
        [1, 64, 3, 3],
        [64, 4, 3, 3],
      ],
    };
    expect(layouts({ ...request, constant: true })).toEqual(['nhwc4']);
    expect(layouts(request)).toEqual(['nchw']);
  });

  test('lowering names every operand of its plan', () => {
    const context = contextOf({ opType: 'ConvTranspose', dims: [...dims, [4]], constant: true });
    const definition = definitionOf('ConvTranspose');
    const lowering = definition.lower?.({
      ...context,
      outputs: definition.infer(context),
      layouts: { inputs: ['nhwc4', 'nchw', 'nchw'], outputs: ['nhwc4'] },
      capabilities: defaultCapabilities(),
      mode: 'fast',
      algorithm: undefined,
      activation: [{ kind: 'relu' }],
      residual: true,
    });
    if (lowering?.kind !== 'dispatch') throw new Error('expected a dispatch');
    const { plan, operands } = lowering;
    const given = new Set([...Object.keys(operands), ...plan.scratch.map((entry) => entry.operand)]);
    const named = plan.passes.flatMap((pass) => pass.bindings.map((binding) => binding.operand));
    expect(named.filter((operand) => !given.has(operand))).toEqual([]);
    expect(plan.label).toBe('conv-transpose/gather/f32/4x4/bias+residual+relu');
  });
});
