/**
 * Pooling, resize, reductions, softmax and normalisation as operators: forms of each opset, inferred dims, layouts
 * and refusals. Their numbers are checked where the kernels are.
 */
import { defaultCapabilities } from '@onegpu/core';
import type { Layout } from '@onegpu/kernels';
import { describe, expect, it } from 'vitest';
import { evaluateNode } from '../../test/evaluate-node.ts';
import { type AttributeDescription, buildModel } from '../../test/model-builder.ts';
import { findUnsupported } from '../check-support.ts';
import { importModel } from '../import.ts';
import { contextOf } from '../node-context.ts';
import type { Lowering, NodeContext, OperatorDefinition, ValueInfo } from '../op-definition.ts';
import { decodeModel } from '../proto/decode-model.ts';
import { Tensor } from '../tensor.ts';
import { findOperator } from './registry.ts';

interface Form {
  readonly op: string;
  readonly opset?: number;
  readonly dims?: readonly number[];
  readonly attributes?: Readonly<Record<string, AttributeDescription>>;
  /** Inputs behind the first; undefined stands for an absent one. */
  readonly constants?: readonly (Tensor | undefined)[];
  readonly outputs?: readonly string[];
}

interface Node {
  readonly definition: OperatorDefinition;
  readonly context: NodeContext;
  readonly refusal: string | undefined;
}

function makeNode({
  op,
  opset = 17,
  dims = [2, 7, 13, 11],
  attributes = {},
  constants = [],
  outputs,
}: Form): Node {
  const named = constants.map((tensor, index) => ({ name: tensor === undefined ? '' : `c${index}`, tensor }));
  const initializers = Object.fromEntries(
    named.flatMap(({ name, tensor }) => (tensor === undefined ? [] : [[name, tensor] as const])),
  );
  const node = {
    op,
    name: 'node',
    inputs: ['x', ...named.map(({ name }) => name)],
    outputs: outputs ?? ['y'],
  };
  const bytes = buildModel({
    opset,
    inputs: { x: { type: 'float32', dims } },
    outputs: node.outputs,
    nodes: [{ ...node, attributes }],
    initializers,
  });
  const { graph } = importModel(decodeModel(bytes));
  const [imported] = graph.nodes;
  const definition = findOperator('', op);
  if (imported === undefined || definition === undefined) throw new Error(`${op} is not there`);
  const values = new Map<string, ValueInfo>([['x', { type: 'float32', dims }]]);
  for (const [name, constant] of graph.constants) {
    values.set(name, { type: constant.type, dims: constant.dims, constant });
  }
  return {
    definition,
    context: contextOf(imported, graph.opset, values),
    refusal: findUnsupported(graph)[0]?.reason,
  };
}

function dimsOf(form: Form): readonly number[] | undefined {
  const { definition, context, refusal } = makeNode(form);
  expect(refusal).toBeUndefined();
  return definition.infer(context)[0]?.dims;
}

/** Layout the operator takes when its input lies in `nhwc4`. */
function layoutOf(form: Form): Layout | undefined {
  const { definition, context } = makeNode(form);
  return definition.layouts?.(context, ['nhwc4']).outputs[0] ?? 'nchw';
}

function lowered(form: Form, layout: Layout = 'nchw'): Lowering | undefined {
  const { definition, context } = makeNode(form);
  return definition.lower?.({
    ...context,
    outputs: definition.infer(context),
    layouts: { inputs: [layout], outputs: [layout] },
    capabilities: defaultCapabilities(),
    mode: 'fast',
    algorithm: undefined,
    activation: [],
    residual: false,
  });
}

const int64 = (...values: readonly number[]): Tensor =>
  new Tensor('int64', values.map(BigInt), [values.length]);
const floats = (...values: readonly number[]): Tensor => new Tensor('float32', values, [values.length]);
const ones = (length: number): Tensor => floats(...new Array<number>(length).fill(1));

describe('pooling', () => {
  const pool = { op: 'MaxPool', attributes: { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] } };

  it('infers windows, rounded up on request', () => {
    expect(dimsOf(pool)).toEqual([2, 7, 7, 6]);
    const even = { op: 'AveragePool', attributes: { kernel_shape: [2, 2], strides: [2, 2], ceil_mode: 1 } };
    expect(dimsOf(even)).toEqual([2, 7, 7, 6]);
    expect(dimsOf({ op: 'GlobalAveragePool', dims: [2, 3, 4, 5, 6] })).toEqual([2, 3, 1, 1, 1]);
  });

  it('stays in the layout its input has', () => {
    expect(layoutOf(pool)).toBe('nhwc4');
    expect(layoutOf({ op: 'GlobalMaxPool' })).toBe('nhwc4');
    const lowering = lowered(pool, 'nhwc4');
    expect(lowering?.kind === 'dispatch' && lowering.plan.label).toBe('max-pool/direct/f32/3x3s2x2/nhwc4');
  });

  it('takes three axes, and gives Indices dense', () => {
    const deep = { op: 'MaxPool', dims: [1, 1, 4, 5, 6], attributes: { kernel_shape: [2, 2, 2] } };
    expect(dimsOf(deep)).toEqual([1, 1, 3, 4, 5]);
    const indexed = { ...pool, outputs: ['y', 'indices'] };
    const { definition, context } = makeNode(indexed);
    expect(definition.infer(context)).toEqual([
      { type: 'float32', dims: [2, 7, 7, 6] },
      { type: 'int64', dims: [2, 7, 7, 6] },
    ]);
    expect(layoutOf(indexed)).toBe('nchw');
  });

  it('reads p as each opset has it', () => {
    const wgslOf = (opset: number, p: AttributeDescription): string | undefined => {
      const lowering = lowered({ op: 'LpPool', opset, attributes: { kernel_shape: [2, 2], p } });
      return lowering?.kind === 'dispatch' ? lowering.plan.passes[0]?.wgsl : undefined;
    };
    expect(wgslOf(1, { float: 4 })).toMatch(/x \* x \* x \* x/);
    expect(wgslOf(18, 3)).toMatch(/x \* x \* x/);
  });

  it('refuses four axes and a missing kernel at load', () => {
    expect(makeNode({ op: 'MaxPool' }).refusal).toMatch(/kernel_shape/);
    const four = { op: 'MaxPool', dims: [1, 1, 4, 4, 4, 4], attributes: { kernel_shape: [2, 2, 2, 2] } };
    expect(makeNode(four).refusal).toMatch(/three spatial axes/);
  });

  it('unpools to the extents of its windows, or of output_shape', () => {
    const indices = new Tensor('int64', new Array<bigint>(6).fill(0n), [1, 1, 2, 3]);
    const unpool = {
      op: 'MaxUnpool',
      dims: [1, 1, 2, 3],
      attributes: { kernel_shape: [2, 2], strides: [2, 2], pads: [0, 1, 0, 0] },
    };
    expect(dimsOf({ ...unpool, constants: [indices] })).toEqual([1, 1, 4, 5]);
    expect(dimsOf({ ...unpool, constants: [indices, int64(1, 1, 5, 6)] })).toEqual([1, 1, 5, 6]);
  });
});

describe('Resize', () => {
  const up = [2, 7, 26, 22];

  it('reads scales and sizes where each opset has them', () => {
    expect(dimsOf({ op: 'Upsample', opset: 8, attributes: { scales: { floats: [1, 1, 2, 2] } } })).toEqual(
      up,
    );
    expect(dimsOf({ op: 'Upsample', opset: 9, constants: [floats(1, 1, 2, 2)] })).toEqual(up);
    expect(dimsOf({ op: 'Resize', opset: 10, constants: [floats(1, 1, 2, 2)] })).toEqual(up);
    expect(dimsOf({ op: 'Resize', opset: 11, constants: [floats(), floats(1, 1, 2, 2)] })).toEqual(up);
    expect(dimsOf({ op: 'Resize', opset: 11, constants: [floats(), floats(), int64(...up)] })).toEqual(up);
    expect(dimsOf({ op: 'Resize', opset: 13, constants: [undefined, undefined, int64(...up)] })).toEqual(up);
    const axes = { op: 'Resize', opset: 19, attributes: { axes: [3, 2] } };
    expect(dimsOf({ ...axes, constants: [undefined, floats(2, 2)] })).toEqual(up);
    expect(dimsOf({ ...axes, constants: [undefined, undefined, int64(22, 26)] })).toEqual(up);
  });

  it('keeps proportions on request', () => {
    const attributes = { axes: [2, 3], keep_aspect_ratio_policy: 'not_larger' };
    const form = { op: 'Resize', opset: 18, dims: [1, 1, 2, 4], attributes };
    expect(dimsOf({ ...form, constants: [undefined, undefined, int64(7, 8)] })).toEqual([1, 1, 4, 8]);
  });

  it('stays in nhwc4 while batch and channels pass through', () => {
    expect(layoutOf({ op: 'Resize', constants: [undefined, floats(1, 1, 2, 2)] })).toBe('nhwc4');
    expect(layoutOf({ op: 'Resize', constants: [undefined, floats(1, 2, 1, 2)] })).toBe('nchw');
  });

  it('crops: the region of all axes or of the named ones, its starts first', () => {
    const mode = { coordinate_transformation_mode: 'tf_crop_and_resize' };
    const roi = floats(0, 0, 0.2, 0.4, 1, 1, 0.8, 0.9);
    const crop = { op: 'Resize', attributes: mode, constants: [roi, floats(1, 1, 2, 2)] };
    expect(dimsOf(crop)).toEqual(up);
    const attributes = { ...mode, axes: [3, 2] };
    const named = {
      op: 'Resize',
      opset: 18,
      attributes,
      constants: [floats(0.2, 0.4, 0.8, 0.9), floats(2, 2)],
    };
    expect(dimsOf(named)).toEqual(up);
    expect(() => dimsOf({ ...crop, constants: [floats(), floats(1, 1, 2, 2)] })).toThrow(
      /starts, then \d ends/,
    );
  });

  it('takes any number of axes, volumes in nhwc4', () => {
    const volume = { op: 'Resize', dims: [1, 5, 3, 4, 2], constants: [undefined, floats(1, 1, 2, 2, 2)] };
    expect(dimsOf(volume)).toEqual([1, 5, 6, 8, 4]);
    expect(layoutOf(volume)).toBe('nhwc4');
    expect(dimsOf({ op: 'Resize', constants: [undefined, floats(2, 2, 2, 2)] })).toEqual([4, 14, 26, 22]);
  });

  it('refuses unknown modes at load, and scales that only the GPU would know while planning', () => {
    const attributes = { coordinate_transformation_mode: 'half_pixel_mirrored' };
    expect(makeNode({ op: 'Resize', attributes }).refusal).toMatch(/half_pixel_mirrored/);
    expect(() => dimsOf({ op: 'Resize' })).toThrow(/exactly one/);
  });
});

describe('reductions', () => {
  it('reads axes from the attribute or the input', () => {
    expect(dimsOf({ op: 'ReduceMean', attributes: { axes: [2, 3] } })).toEqual([2, 7, 1, 1]);
    expect(dimsOf({ op: 'ReduceMax', attributes: { axes: [-1], keepdims: 0 } })).toEqual([2, 7, 13]);
    expect(dimsOf({ op: 'ReduceSum', constants: [int64(1)] })).toEqual([2, 1, 13, 11]);
    expect(dimsOf({ op: 'ReduceL2', opset: 18, constants: [int64(0, 1)] })).toEqual([1, 1, 13, 11]);
    expect(dimsOf({ op: 'ReduceProd' })).toEqual([1, 1, 1, 1]);
  });

  it('does nothing without axes where the node says so', () => {
    const noop = { op: 'ReduceSum', attributes: { noop_with_empty_axes: 1 }, constants: [int64()] };
    expect(dimsOf(noop)).toEqual([2, 7, 13, 11]);
    expect(lowered(noop)).toEqual({ kind: 'alias', input: 0 });
  });

  it('is a global pool in nhwc4 over all spatial axes', () => {
    expect(layoutOf({ op: 'ReduceMean', attributes: { axes: [2, 3] } })).toBe('nhwc4');
    expect(layoutOf({ op: 'ReduceMean', attributes: { axes: [-2, -1] } })).toBe('nhwc4');
    expect(layoutOf({ op: 'ReduceMean', attributes: { axes: [2, 3], keepdims: 0 } })).toBe('nchw');
    expect(layoutOf({ op: 'ReduceMean', attributes: { axes: [1] } })).toBe('nchw');
    expect(layoutOf({ op: 'ReduceLogSum', attributes: { axes: [2, 3] } })).toBe('nchw');
  });

  it('evaluates integers of shapes on the host', () => {
    const product = evaluateNode({ op: 'ReduceProd', attributes: { keepdims: 0 } }, [int64(3, 5, 7)]);
    expect([product.dims, [...product.data]]).toEqual([[], [105n]]);
    const mean = evaluateNode({ op: 'ReduceMean', attributes: { axes: [0] } }, [floats(1, 2, 6)]);
    expect([mean.dims, [...mean.data]]).toEqual([[1], [3]]);
  });
});

describe('Softmax', () => {
  const length = (form: Form): number | undefined => {
    const lowering = lowered({ dims: [2, 3, 5], ...form });
    // Words 1 of the statistics pass: terms of a row.
    return lowering?.kind === 'dispatch' ? lowering.plan.passes[0]?.params?.[1] : undefined;
  };

  it('takes all axes from 1 on before opset 13, the last one after', () => {
    expect(length({ op: 'Softmax', opset: 11 })).toBe(15);
    expect(length({ op: 'Softmax', opset: 11, attributes: { axis: -1 } })).toBe(5);
    expect(length({ op: 'Softmax', opset: 13 })).toBe(5);
    expect(length({ op: 'LogSoftmax', opset: 13, attributes: { axis: 1 } })).toBe(3);
  });
});

describe('normalisation', () => {
  const four = [ones(7), ones(7), ones(7), ones(7)];

  it('keeps dims, in the layout of its input for batches', () => {
    expect(dimsOf({ op: 'BatchNormalization', constants: four })).toEqual([2, 7, 13, 11]);
    expect(layoutOf({ op: 'BatchNormalization', constants: four })).toBe('nhwc4');
    expect(dimsOf({ op: 'InstanceNormalization', constants: [ones(7), ones(7)] })).toEqual([2, 7, 13, 11]);
    expect(dimsOf({ op: 'LayerNormalization', constants: [ones(11)] })).toEqual([2, 7, 13, 11]);
  });

  it('refuses training and operands of the wrong length', () => {
    const training = { op: 'BatchNormalization', attributes: { training_mode: 1 }, constants: four };
    expect(makeNode(training).refusal).toMatch(/training_mode/);
    expect(makeNode({ op: 'BatchNormalization', constants: four, outputs: ['y', 'm'] }).refusal).toMatch(
      /training/,
    );
    expect(() => dimsOf({ op: 'InstanceNormalization', constants: [ones(7), ones(5)] })).toThrow(
      /expected \[7\]/,
    );
    expect(() => dimsOf({ op: 'LayerNormalization', constants: [ones(1)] })).toThrow(/broadcasting/);
  });
});
