/**
 * Pooling, unpooling and LRN in a session against onnxruntime's CPU, over the forms on which both follow ONNX's text.
 * `docs/numerics.md` lists those on which they do not.
 */
import { expectExact, expectWithin, randomFill, sumTolerance, testDevice } from '@onegpu/testing';
import { describe, it } from 'vitest';
import { ortCpu } from '../../../test-models/src/index.ts';
import { InferenceSession, Tensor, type TensorType } from '../src/index.ts';
import { type AttributeDescription, buildModel, type NodeDescription } from './model-builder.ts';

interface Row {
  readonly op: string;
  readonly dims?: readonly number[];
  readonly type?: TensorType;
  readonly opset?: number;
  readonly attributes?: Readonly<Record<string, AttributeDescription>>;
  readonly outputs?: number;
}

const PICTURE = [2, 5, 11, 7];
const LINE = [2, 3, 19];
const VOLUME = [1, 3, 5, 6, 7];

const SPREAD: readonly Omit<Row, 'op'>[] = [
  { attributes: { kernel_shape: [3, 2], strides: [2, 1], pads: [1, 0, 2, 1] } },
  { attributes: { kernel_shape: [2, 3], strides: [2, 3], auto_pad: 'SAME_UPPER' } },
  { attributes: { kernel_shape: [2, 4], strides: [1, 3], auto_pad: 'SAME_LOWER' } },
  { attributes: { kernel_shape: [3, 3], strides: [2, 2], ceil_mode: 1, pads: [1, 1, 1, 1] } },
  { attributes: { kernel_shape: [3, 2], dilations: [2, 3], strides: [1, 2] } },
  { dims: LINE, attributes: { kernel_shape: [4], strides: [3], pads: [2, 1] } },
  { dims: VOLUME, attributes: { kernel_shape: [2, 3, 2], strides: [2, 1, 2], pads: [1, 0, 1, 0, 2, 1] } },
  { dims: VOLUME, attributes: { kernel_shape: [2, 2, 3], strides: [1, 2, 2], ceil_mode: 1 } },
];

const rowsOf = (op: string, extra: Readonly<Record<string, AttributeDescription>>, outputs = 1): Row[] =>
  SPREAD.map(({ attributes, ...row }) => ({
    ...row,
    op,
    outputs,
    opset: 19,
    attributes: { ...attributes, ...extra },
  }));

const ROWS: readonly Row[] = [
  ...rowsOf('MaxPool', {}),
  ...rowsOf('MaxPool', { storage_order: 0 }, 2),
  ...rowsOf('MaxPool', { storage_order: 1 }, 2),
  ...rowsOf('AveragePool', {}),
  ...rowsOf('AveragePool', { count_include_pad: 1 }),
  ...rowsOf('LpPool', { p: 1 }),
  ...rowsOf('LpPool', {}),
  ...rowsOf('LpPool', { p: 3 }),
  { op: 'MaxPool', type: 'int8', attributes: { kernel_shape: [3, 3], pads: [1, 1, 1, 1] } },
  { op: 'MaxPool', type: 'uint8', attributes: { kernel_shape: [2, 3], strides: [2, 2], ceil_mode: 1 } },
  { op: 'MaxPool', type: 'uint8', attributes: { kernel_shape: [2, 3], strides: [2, 2] }, outputs: 2 },
  ...[PICTURE, LINE, VOLUME].flatMap((dims) => [
    { op: 'GlobalAveragePool', dims },
    { op: 'GlobalMaxPool', dims },
    { op: 'GlobalLpPool', dims },
    { op: 'GlobalLpPool', dims, attributes: { p: 3 } },
  ]),
  { op: 'LRN', attributes: { size: 3, alpha: { float: 0.7 }, beta: { float: 0.5 }, bias: { float: 2 } } },
  { op: 'LRN', dims: [1, 9, 3, 5], attributes: { size: 5 } },
];

/** Second outputs: Indices. */
const INDICES = new Set(['y1', 'places']);

const SUM = sumTolerance({ terms: 256, activationUlp: 16 });

function source(dims: readonly number[], type: TensorType): Tensor {
  const values = randomFill(
    dims.reduce((product, extent) => product * extent, 1),
    71,
    -3,
    3,
  );
  if (type === 'int8')
    return new Tensor(
      'int8',
      Int8Array.from(values, (value) => value * 42),
      dims,
    );
  if (type === 'uint8')
    return new Tensor(
      'uint8',
      Uint8Array.from(values, (value) => value * 42 + 127),
      dims,
    );
  return new Tensor('float32', values, dims);
}

async function compare(
  nodes: readonly NodeDescription[],
  row: Row,
  outputs: readonly string[],
): Promise<void> {
  const { dims = PICTURE, type = 'float32', opset = 19 } = row;
  const x = source(dims, type);
  const typed = outputs.map((name) => [name, { type: INDICES.has(name) ? ('int64' as const) : type }]);
  const model = buildModel({
    opset,
    inputs: { x: { type, dims } },
    outputs: Object.fromEntries(typed),
    nodes,
  });
  const session = await InferenceSession.create(model, { device: await testDevice() });
  try {
    const actual = await session.run({ x });
    const expected = await ortCpu(model, { x });
    for (const name of outputs) {
      const [y, reference] = [actual[name], expected[name]];
      if (y === undefined || reference === undefined) throw new Error(`output ${name} is missing`);
      const numbers = Array.from(y.data as ArrayLike<number | bigint>, Number);
      const wanted = Array.from(reference.data as ArrayLike<number | bigint>, Number);
      const exact = row.op.includes('Max');
      if (exact) expectExact(numbers, wanted, y.dims);
      else expectWithin(numbers, wanted, SUM, y.dims);
    }
  } finally {
    await session.release();
  }
}

describe('against onnxruntime', () => {
  it.each(ROWS.map((row, at) => ({ name: `${at} ${row.op} ${JSON.stringify(row.attributes ?? {})}`, row })))(
    '$name',
    async ({ row }) => {
      const outputs = Array.from({ length: row.outputs ?? 1 }, (_, at) => `y${at}`);
      const attributes = row.attributes === undefined ? {} : { attributes: row.attributes };
      await compare([{ op: row.op, name: 'pool', inputs: ['x'], outputs, ...attributes }], row, outputs);
    },
  );

  it.each([[[2, 3, 18]], [[2, 5, 12, 6]], [[1, 3, 6, 4, 8]]])('max pooling and back, %j', async (dims) => {
    const axes = dims.length - 2;
    const attributes = {
      kernel_shape: new Array<number>(axes).fill(2),
      strides: new Array<number>(axes).fill(2),
    };
    const nodes = [
      { op: 'MaxPool', name: 'down', inputs: ['x'], outputs: ['values', 'places'], attributes },
      { op: 'MaxUnpool', name: 'up', inputs: ['values', 'places'], outputs: ['y'], attributes },
    ];
    await compare(nodes, { op: 'MaxUnpool', dims }, ['y', 'places']);
  });
});
