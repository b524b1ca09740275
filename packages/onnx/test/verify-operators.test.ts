/**
 * Every operator that runs on the GPU, verified as a model of one node: its reference must know the operator as its
 * kernels do. An operator without a row fails.
 */
import { integerFill, newTestDevice, randomFill, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { allOperators } from '../src/ops/registry.ts';
import { Tensor } from '../src/tensor.ts';
import { verifyModel } from '../src/verify/verify-model.ts';
import { type AttributeDescription, buildModel } from './model-builder.ts';

interface Row {
  readonly op: string;
  /** Fed inputs. */
  readonly feeds: readonly Tensor[];
  /** Constants behind them; undefined for an absent one. */
  readonly constants?: readonly (Tensor | undefined)[];
  readonly attributes?: Readonly<Record<string, AttributeDescription>>;
  readonly outputs?: number;
  readonly opset?: number;
}

const floats = (dims: readonly number[], seed = 1, low = -2, high = 2): Tensor =>
  new Tensor(
    'float32',
    randomFill(
      dims.reduce((a, b) => a * b, 1),
      seed,
      low,
      high,
    ),
    dims,
  );
const integers = (...values: readonly number[]): Tensor => new Tensor('int64', values.map(BigInt));
const scalar = (value: number): Tensor => new Tensor('float32', [value], []);

const zeroPoint = (value: number): Tensor => new Tensor('uint8', [value], []);

const PICTURE = [2, 5, 7, 11];
const positive = floats(PICTURE, 2, 0.1, 0.9);

/** Where a function is not defined on (-2, 2). */
const DOMAINS: Readonly<Record<string, Tensor>> = {
  Log: positive,
  Sqrt: positive,
  Asin: positive,
  Acos: positive,
  Atanh: positive,
  Acosh: floats(PICTURE, 3, 1.1, 4),
};

const small = (type: 'int32' | 'uint8', dims: readonly number[], seed = 1): Tensor =>
  new Tensor(
    type,
    [
      ...integerFill(
        dims.reduce((a, b) => a * b, 1),
        seed,
        0,
        9,
      ),
    ],
    dims,
  );
const bools = (dims: readonly number[], seed = 1): Tensor =>
  new Tensor(
    'bool',
    [
      ...integerFill(
        dims.reduce((a, b) => a * b, 1),
        seed,
        0,
        1,
      ),
    ],
    dims,
  );

const LOGIC: readonly Row[] = [
  ...['Equal', 'Greater', 'GreaterOrEqual', 'Less', 'LessOrEqual'].map((op) => ({
    op,
    feeds: [small('int32', PICTURE), small('int32', [7, 1], 2)],
  })),
  ...['And', 'Or', 'Xor'].map((op) => ({ op, feeds: [bools(PICTURE), bools([11], 2)] })),
  ...['BitwiseAnd', 'BitwiseOr', 'BitwiseXor', 'Add', 'Mul', 'Mod', 'Max'].map((op) => ({
    op,
    feeds: [small('uint8', PICTURE), small('uint8', [11], 2)],
    opset: 18,
  })),
  { op: 'Not', feeds: [bools(PICTURE)] },
  { op: 'BitwiseNot', feeds: [small('uint8', PICTURE)], opset: 18 },
  { op: 'IsNaN', feeds: [floats(PICTURE)] },
  { op: 'IsInf', feeds: [floats(PICTURE)] },
  { op: 'Where', feeds: [bools(PICTURE), floats([11]), floats([7, 1], 2)] },
  { op: 'Cast', feeds: [floats(PICTURE, 1, -200, 200)], attributes: { to: 3 } },
  { op: 'Gather', feeds: [floats([7, 11]), new Tensor('int32', [6, 0, -1, 3], [2, 2])] },
];

const UNARY = (
  'Relu Sigmoid Tanh Exp Log Sqrt Reciprocal Abs Neg Floor Ceil Softplus Softsign Sin Cos Tan Asin Acos Atan Sinh Cosh ' +
  'Asinh Acosh Atanh Erf Sign Round HardSwish Mish LeakyRelu Elu Selu Celu ThresholdedRelu HardSigmoid Shrink Gelu ' +
  'Swish Identity Dropout'
).split(' ');

const REDUCE = 'Sum Mean Max Min Prod L1 L2 SumSquare LogSum LogSumExp'.split(' ');

const ROWS: readonly Row[] = [
  ...LOGIC,
  ...UNARY.map((op) => ({ op, feeds: [DOMAINS[op] ?? floats(PICTURE)], opset: 24 })),
  ...['Add', 'Sub', 'Mul', 'Div', 'PRelu'].map((op) => ({
    op,
    feeds: [floats(PICTURE), floats([5, 1, 11], 2)],
  })),
  { op: 'Pow', feeds: [positive, floats([11], 4)] },
  { op: 'Mod', feeds: [floats(PICTURE), floats([1], 2, 1, 3)], attributes: { fmod: 1 } },
  ...['Sum', 'Mean', 'Min', 'Max'].map((op) => ({
    op,
    feeds: [floats(PICTURE), floats([7, 1], 2), floats([2, 5, 1, 1], 3)],
  })),
  { op: 'Clip', feeds: [floats(PICTURE)], constants: [scalar(-0.5), scalar(0.7)] },
  { op: 'Cast', feeds: [floats(PICTURE)], attributes: { to: 1 } },
  { op: 'CastLike', feeds: [floats(PICTURE)], constants: [scalar(1)] },
  { op: 'Concat', feeds: [floats(PICTURE), floats([2, 3, 7, 11], 2)], attributes: { axis: 1 } },
  {
    op: 'Split',
    feeds: [floats(PICTURE)],
    constants: [integers(2, 3)],
    attributes: { axis: 1 },
    outputs: 2,
  },
  { op: 'Pad', feeds: [floats(PICTURE)], constants: [integers(0, 1, 2, 0, 0, 0, 1, 3), scalar(9)] },
  { op: 'Transpose', feeds: [floats(PICTURE)], attributes: { perm: [3, 1, 0, 2] } },
  { op: 'DepthToSpace', feeds: [floats([1, 12, 3, 5])], attributes: { blocksize: 2, mode: 'CRD' } },
  { op: 'SpaceToDepth', feeds: [floats([1, 3, 4, 6])], attributes: { blocksize: 2 } },
  { op: 'Expand', feeds: [floats([5, 1, 3])], constants: [integers(2, 5, 7, 3)] },
  { op: 'Tile', feeds: [floats([2, 3])], constants: [integers(3, 2)] },
  {
    op: 'Gather',
    feeds: [new Tensor('int32', [5, -6, 7, 8, 9, 10], [3, 2])],
    constants: [integers(2, 0, 2)],
  },
  {
    op: 'Slice',
    feeds: [floats(PICTURE)],
    constants: [integers(6), integers(-9), integers(2), integers(-2)],
  },
  { op: 'Reshape', feeds: [floats(PICTURE)], constants: [integers(0, -1)] },
  { op: 'Flatten', feeds: [floats(PICTURE)], attributes: { axis: 2 } },
  { op: 'Squeeze', feeds: [floats([2, 1, 3])], constants: [integers(1)] },
  { op: 'Unsqueeze', feeds: [floats([2, 3])], constants: [integers(0, 3)] },
  {
    op: 'Conv',
    feeds: [floats([2, 6, 7, 11])],
    constants: [floats([4, 3, 3, 2], 2), floats([4], 3)],
    attributes: { group: 2, pads: [1, 0, 2, 1], strides: [2, 1], dilations: [1, 2] },
  },
  { op: 'Conv', feeds: [floats([2, 3, 13])], constants: [floats([5, 3, 3], 2)] },
  {
    op: 'ConvTranspose',
    feeds: [floats([2, 4, 5, 7])],
    constants: [floats([4, 3, 3, 2], 2), floats([6], 3)],
    attributes: { group: 2, pads: [1, 0, 1, 1], strides: [2, 3], output_padding: [1, 0] },
  },
  {
    op: 'Conv',
    feeds: [floats([2, 4, 5, 7, 3])],
    constants: [floats([6, 2, 3, 3, 2], 2), floats([6], 3)],
    attributes: { group: 2, pads: [1, 0, 2, 1, 1, 0], strides: [2, 1, 1] },
  },
  {
    op: 'ConvTranspose',
    feeds: [floats([2, 32, 2, 3, 4])],
    constants: [floats([32, 3, 3, 2, 3], 2), floats([3], 3)],
    attributes: { pads: [1, 0, 1, 1, 1, 0], strides: [2, 3, 1] },
  },
  {
    op: 'DeformConv',
    feeds: [floats([2, 4, 7, 5])],
    constants: [
      floats([6, 2, 3, 3], 2),
      floats([2, 36, 7, 5], 3),
      floats([6], 4),
      floats([2, 18, 7, 5], 5, 0, 1),
    ],
    attributes: { group: 2, offset_group: 2, pads: [1, 1, 1, 1] },
    opset: 22,
  },
  {
    op: 'DeformConv',
    feeds: [floats([1, 4, 3, 5, 4])],
    constants: [floats([6, 4, 2, 3, 1], 2), floats([1, 18, 2, 5, 4], 3)],
    attributes: { pads: [0, 1, 0, 0, 1, 0] },
    opset: 19,
  },
  {
    op: 'DeformConv',
    feeds: [floats([2, 4, 11])],
    constants: [floats([6, 4, 3], 2), floats([2, 3, 5], 3)],
    attributes: { strides: [2] },
    opset: 22,
  },
  {
    op: 'Gemm',
    feeds: [floats([7, 5])],
    constants: [floats([7, 11], 2), floats([11], 3)],
    attributes: { transA: 1, alpha: { float: 0.3 }, beta: { float: 1.7 } },
  },
  {
    op: 'Gemm',
    feeds: [floats([3, 7])],
    constants: [floats([5, 7], 2), floats([3, 1], 3)],
    attributes: { transB: 1 },
  },
  { op: 'MatMul', feeds: [floats([2, 1, 3, 7]), floats([5, 7, 4], 2)] },
  {
    op: 'BatchNormalization',
    feeds: [floats(PICTURE)],
    constants: [floats([5], 2), floats([5], 3), floats([5], 4), floats([5], 5, 0.5, 2)],
  },
  { op: 'InstanceNormalization', feeds: [floats(PICTURE)], constants: [floats([5], 2), floats([5], 3)] },
  {
    op: 'LayerNormalization',
    feeds: [floats([3, 4, 13])],
    constants: [floats([13], 2), floats([13], 3)],
    outputs: 3,
  },
  {
    op: 'MaxPool',
    feeds: [floats(PICTURE)],
    attributes: { kernel_shape: [3, 2], strides: [2, 2], pads: [1, 0, 1, 1], ceil_mode: 1 },
  },
  {
    op: 'AveragePool',
    feeds: [floats(PICTURE)],
    attributes: { kernel_shape: [3, 3], pads: [1, 1, 1, 1], count_include_pad: 1 },
  },
  {
    op: 'MaxPool',
    feeds: [floats([1, 3, 5, 7, 4])],
    attributes: { kernel_shape: [2, 3, 2], strides: [2, 2, 1], pads: [1, 0, 1, 0, 1, 0], storage_order: 1 },
    outputs: 2,
  },
  {
    op: 'MaxPool',
    feeds: [
      new Tensor(
        'int8',
        Int8Array.from({ length: 77 }, (_, at) => (at * 37) % 256),
        [1, 1, 7, 11],
      ),
    ],
    attributes: { kernel_shape: [3, 3] },
  },
  { op: 'LpPool', feeds: [floats(PICTURE)], attributes: { kernel_shape: [3, 2], p: 3 }, opset: 18 },
  { op: 'GlobalLpPool', feeds: [floats(PICTURE)], attributes: { p: 1 } },
  {
    op: 'MaxUnpool',
    feeds: [floats([1, 2, 3]), new Tensor('int64', [0, 3, 4, 7, 9, 10].map(BigInt), [1, 2, 3])],
    attributes: { kernel_shape: [2], strides: [2] },
  },
  { op: 'LRN', feeds: [floats(PICTURE)], attributes: { size: 3, alpha: { float: 0.5 } } },
  { op: 'GlobalMaxPool', feeds: [floats(PICTURE)] },
  { op: 'GlobalAveragePool', feeds: [floats(PICTURE)] },
  ...REDUCE.map((name) => ({
    op: `Reduce${name}`,
    feeds: [name.startsWith('Log') ? positive : floats(PICTURE)],
    constants: [integers(1, -1)],
    attributes: { keepdims: 0 },
    opset: 18,
  })),
  {
    op: 'Resize',
    feeds: [floats(PICTURE)],
    constants: [undefined, undefined, integers(2, 5, 13, 17)],
    attributes: { mode: 'linear' },
  },
  {
    op: 'Resize',
    feeds: [floats(PICTURE)],
    constants: [undefined, new Tensor('float32', [1, 1, 2, 3])],
    attributes: { coordinate_transformation_mode: 'asymmetric', nearest_mode: 'floor' },
  },
  {
    op: 'Resize',
    feeds: [new Tensor('uint8', [...integerFill(70, 5, 0, 255)], [1, 2, 5, 7])],
    constants: [undefined, undefined, integers(1, 2, 13, 11)],
    attributes: { mode: 'cubic' },
  },
  {
    op: 'Resize',
    feeds: [
      new Tensor(
        'int64',
        Array.from({ length: 35 }, (_, at) => BigInt(at) << 40n),
        [5, 7],
      ),
    ],
    constants: [new Tensor('float32', [0, -0.5, 1, 0.5]), undefined, integers(4, 9)],
    attributes: { coordinate_transformation_mode: 'tf_crop_and_resize', extrapolation_value: { float: -3 } },
  },
  {
    op: 'Resize',
    feeds: [floats([1, 5, 3, 4, 5])],
    constants: [undefined, new Tensor('float32', [1, 1, 2, 0.5, 3])],
    attributes: { mode: 'linear' },
  },
  {
    op: 'Upsample',
    feeds: [floats(PICTURE)],
    constants: [new Tensor('float32', [1, 1, 2, 2])],
    opset: 9,
  },
  { op: 'QuantizeLinear', feeds: [floats(PICTURE)], constants: [scalar(0.03), zeroPoint(120)] },
  {
    op: 'QuantizeLinear',
    feeds: [floats(PICTURE)],
    constants: [new Tensor('float32', [0.01, 0.02, 0.03, 0.04, 0.05])],
    attributes: { axis: 1 },
  },
  {
    op: 'DequantizeLinear',
    feeds: [small('uint8', PICTURE)],
    constants: [scalar(0.03), zeroPoint(120)],
  },
  { op: 'DynamicQuantizeLinear', feeds: [floats(PICTURE)], outputs: 3 },
  {
    op: 'ConvInteger',
    feeds: [small('uint8', PICTURE)],
    constants: [small('uint8', [4, 5, 3, 3]), zeroPoint(5), zeroPoint(3)],
  },
  {
    op: 'MatMulInteger',
    feeds: [small('uint8', [5, 7])],
    constants: [small('uint8', [7, 6], 2), zeroPoint(4)],
  },
  {
    op: 'QLinearConv',
    feeds: [small('uint8', PICTURE)],
    constants: [
      ...[scalar(0.05), zeroPoint(5), small('uint8', [4, 5, 3, 3]), scalar(0.02), zeroPoint(3)],
      ...[scalar(0.1), zeroPoint(100)],
    ],
  },
  {
    op: 'QLinearMatMul',
    feeds: [small('uint8', [5, 7])],
    constants: [
      ...[scalar(0.05), zeroPoint(5), small('uint8', [7, 6], 2), scalar(0.02), zeroPoint(3)],
      ...[scalar(0.1), zeroPoint(100)],
    ],
  },
  { op: 'Softmax', feeds: [floats(PICTURE)], attributes: { axis: 1 } },
  { op: 'LogSoftmax', feeds: [floats(PICTURE)] },
];

function modelOf(row: Row): { readonly model: Uint8Array; readonly feeds: Record<string, Tensor> } {
  const fed = row.feeds.map((tensor, index) => [`in${index}`, tensor] as const);
  const constants = (row.constants ?? []).map((tensor, index) => [`constant${index}`, tensor] as const);
  const outputs = Array.from({ length: row.outputs ?? 1 }, (_, index) => `out${index}`);
  const names = [...fed, ...constants].map(([name, tensor]) => (tensor === undefined ? '' : name));
  const attributes = row.attributes === undefined ? {} : { attributes: row.attributes };
  const model = buildModel({
    opset: row.opset ?? 17,
    inputs: Object.fromEntries(fed.map(([name, { type, dims }]) => [name, { type, dims }])),
    outputs,
    nodes: [{ op: row.op, name: row.op, inputs: names, outputs, ...attributes }],
    initializers: Object.fromEntries(
      constants.flatMap(([name, tensor]) => (tensor === undefined ? [] : [[name, tensor] as const])),
    ),
  });
  return { model, feeds: Object.fromEntries(fed) };
}

it('every operator of ONNX that runs on the GPU has a row', () => {
  const rows = new Set(ROWS.map((row) => row.op));
  const missing = allOperators().filter(
    ({ domain, opType, lower }) => lower && domain === '' && !rows.has(opType),
  );
  expect(missing.map((operator) => operator.opType)).toEqual([]);
});

describe('verified alone', () => {
  it.each(ROWS.map((row, index) => ({ name: `${row.op} ${index}`, row })))('$name', async ({ row }) => {
    const { model, feeds } = modelOf(row);
    const { report } = await verifyModel(model, feeds, { device: await testDevice() });
    const [node] = report.nodes;
    expect(node?.runsOn).toBe('gpu');
    expect(node?.outputs).toHaveLength(row.outputs ?? 1);
    expect(report.nodes.flatMap((entry) => entry.outputs.filter((output) => !output.passed))).toEqual([]);
    expect(report.passed).toBe(true);
  });
});

describe('results that are no ordinary numbers', () => {
  it('are compared as what they are, and counted', async () => {
    const { model } = modelOf({ op: 'Exp', feeds: [floats([5])] });
    const x = new Tensor('float32', [1, 100, Number.NEGATIVE_INFINITY, 2, -200]);
    const { report } = await verifyModel(model, { in0: x }, { device: await testDevice() });
    expect(report.nodes[0]).toMatchObject({ passed: true, outputs: [{ nan: 0, infinite: 1 }] });
  });
});

describe('sums that cancel', () => {
  const a1 = floats([1, 257], 5);
  const weights = floats([257], 6);
  const row: Row = {
    op: 'Gemm',
    feeds: [a1],
    constants: [new Tensor('float32', weights.data as Float32Array, [257, 1]), undefined],
  };
  /** C takes away what A B gives, up to its rounding. */
  const cancelled = (): Row => {
    const [a, b] = [a1.data as Float32Array, weights.data as Float32Array];
    let sum = 0;
    for (let k = 0; k < 257; k++) sum += (a[k] ?? 0) * (b[k] ?? 0);
    return { ...row, constants: [row.constants?.[0], new Tensor('float32', [-sum], [1])] };
  };

  it('are held to the error of their partial sums', async () => {
    const { model, feeds } = modelOf(cancelled());
    const { report } = await verifyModel(model, feeds, { device: await testDevice() });
    const output = report.nodes[0]?.outputs[0];
    expect(report.passed).toBe(true);
    expect(output?.scale).toBeGreaterThan(1);
  });

  it('and a fault is still found in them', async () => {
    const device = await newTestDevice();
    const sound = device.raw.createShaderModule.bind(device.raw);
    device.raw.createShaderModule = (descriptor) =>
      sound({
        ...descriptor,
        code: descriptor.code.replace(/dst\[([^\]]+)\] = ([^;]+);/g, 'dst[$1] = $2 + 0.001;'),
      });
    try {
      const { model, feeds } = modelOf(cancelled());
      const { report } = await verifyModel(model, feeds, { device });
      expect(report.firstPast).toBe('Gemm');
    } finally {
      await device.disposeAsync();
    }
  });
});
