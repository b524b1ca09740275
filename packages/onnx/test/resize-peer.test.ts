/**
 * Resize and Upsample in a session against onnxruntime's CPU, over the forms on which both follow ONNX's text.
 * `docs/numerics.md` lists those on which they do not.
 */
import { ortCpu } from '@onegpu/test-models';
import { expectWithin, integerFill, randomFill, sumTolerance, testDevice } from '@onegpu/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { InferenceSession, Tensor, type TensorType } from '../src/index.ts';
import { type AttributeDescription, buildModel } from './model-builder.ts';

interface Row {
  readonly op?: 'Resize' | 'Upsample';
  readonly opset?: number;
  readonly dims?: readonly number[];
  readonly type?: TensorType;
  /** The constants behind the data, as the opset has them. */
  readonly constants?: readonly (Tensor | undefined)[];
  readonly attributes?: Readonly<Record<string, AttributeDescription>>;
}

const floats = (...values: readonly number[]): Tensor => new Tensor('float32', values, [values.length]);
const sizes = (...values: readonly number[]): readonly (Tensor | undefined)[] => [
  undefined,
  undefined,
  new Tensor('int64', values.map(BigInt), [values.length]),
];
const scales = (...values: readonly number[]): readonly (Tensor | undefined)[] => [
  undefined,
  floats(...values),
];

const DIMS = [1, 2, 5, 7];
const UP = sizes(1, 2, 11, 13);
const DOWN = sizes(1, 2, 3, 4);
const MIXED = sizes(1, 2, 3, 13);
const VOLUME = [1, 2, 3, 4, 5];
const COORDINATES = ['half_pixel', 'pytorch_half_pixel', 'align_corners', 'asymmetric'];

function rows(): readonly (readonly [string, Row])[] {
  const weighted = COORDINATES.flatMap((mode) =>
    (['linear', 'cubic'] as const).map((filter): readonly [string, Row] => {
      const attributes = {
        mode: filter,
        coordinate_transformation_mode: mode,
        antialias: mode === 'half_pixel' ? 1 : 0,
      };
      return [`${filter} ${mode}`, { constants: filter === 'linear' ? UP : MIXED, attributes }];
    }),
  );
  const nearest = COORDINATES.map((mode, at): readonly [string, Row] => {
    const nearest_mode = ['round_prefer_floor', 'ceil', 'floor', 'round_prefer_ceil'][at] ?? '';
    const attributes = { mode: 'nearest', coordinate_transformation_mode: mode, nearest_mode };
    return [`nearest ${mode} ${nearest_mode}`, { constants: at % 2 === 0 ? UP : DOWN, attributes }];
  });
  return [...weighted, ...nearest];
}

const crop = { coordinate_transformation_mode: 'tf_crop_and_resize', extrapolation_value: { float: 2.5 } };
const cropOf = (mode: string, ...region: readonly number[]): Row => ({
  attributes: { ...crop, mode },
  constants: [floats(...region), undefined, UP[2]],
});

const ROWS: readonly (readonly [string, Row])[] = [
  ...rows(),
  ['crop, linear', cropOf('linear', 0, 0, 0.25, 0.375, 1, 1, 0.875, 0.75)],
  ['crop beyond the source, linear', cropOf('linear', 0, 0, -0.25, 0.375, 1, 1, 0.875, 1.5)],
  ['crop flipped, cubic', cropOf('cubic', 0, 0, 0.875, 0, 1, 1, 0.125, 1)],
  [
    'cubic, outside excluded',
    { constants: DOWN, attributes: { mode: 'cubic', exclude_outside: 1, cubic_coeff_a: { float: -0.5 } } },
  ],
  [
    'linear half_pixel_symmetric',
    {
      constants: scales(1, 1, 0.6, 2.3),
      attributes: { mode: 'linear', coordinate_transformation_mode: 'half_pixel_symmetric' },
    },
  ],
  [
    'not larger',
    {
      constants: sizes(7, 8),
      attributes: { mode: 'linear', axes: [2, 3], keep_aspect_ratio_policy: 'not_larger' },
    },
  ],
  [
    'not smaller',
    {
      constants: sizes(7, 8),
      attributes: { mode: 'cubic', axes: [3, 2], keep_aspect_ratio_policy: 'not_smaller' },
    },
  ],
  [
    'a volume, linear',
    { dims: VOLUME, constants: scales(1, 1, 2, 0.5, 1.4), attributes: { mode: 'linear' } },
  ],
  ['a volume, nearest', { dims: VOLUME, constants: scales(2, 1, 2, 1, 3), attributes: { mode: 'nearest' } }],
  [
    'every axis, nearest',
    { constants: sizes(2, 3, 7, 4), attributes: { mode: 'nearest', nearest_mode: 'ceil' } },
  ],
  ['three axes, linear', { dims: [3, 4, 5], constants: scales(2, 1.5, 0.8), attributes: { mode: 'linear' } }],
  ['uint8, nearest', { type: 'uint8', constants: UP, attributes: { mode: 'nearest' } }],
  ['int8, nearest', { type: 'int8', constants: DOWN, attributes: { mode: 'nearest' } }],
  ['int32, nearest', { type: 'int32', constants: UP, attributes: { mode: 'nearest' } }],
  [
    'Upsample 7',
    { op: 'Upsample', opset: 7, attributes: { mode: 'nearest', scales: { floats: [1, 1, 2, 3] } } },
  ],
  [
    'Upsample 7, linear',
    { op: 'Upsample', opset: 7, attributes: { mode: 'linear', scales: { floats: [1, 1, 1.7, 2] } } },
  ],
  [
    'Upsample 9',
    { op: 'Upsample', opset: 9, constants: [floats(1, 1, 1.7, 2.6)], attributes: { mode: 'nearest' } },
  ],
  ['Resize 10', { opset: 10, constants: [floats(1, 1, 0.6, 2.3)], attributes: { mode: 'nearest' } }],
  ['Resize 10, linear', { opset: 10, constants: [floats(1, 1, 0.5, 0.5)], attributes: { mode: 'linear' } }],
];

function modelOf({
  op = 'Resize',
  opset = 19,
  dims = DIMS,
  type = 'float32',
  constants = [],
  attributes = {},
}: Row): Uint8Array {
  const named = constants.map((tensor, index) => ({ name: tensor === undefined ? '' : `c${index}`, tensor }));
  const initializers = Object.fromEntries(
    named.flatMap(({ name, tensor }) => (tensor === undefined ? [] : [[name, tensor] as const])),
  );
  const inputs = ['x', ...named.map(({ name }) => name)];
  return buildModel({
    opset,
    inputs: { x: { type, dims } },
    outputs: { y: { type } },
    nodes: [{ op, inputs, outputs: ['y'], attributes }],
    initializers,
  });
}

function dataOf({ dims = DIMS, type = 'float32' }: Row): Tensor {
  const length = dims.reduce((product, extent) => product * extent, 1);
  if (type === 'float32') return new Tensor(type, randomFill(length, 21), dims);
  const low = type.startsWith('u') ? 0 : -128;
  return new Tensor(type, [...integerFill(length, 22, low, low + 255)], dims);
}

describe("Resize as onnxruntime's CPU", () => {
  const sessions: InferenceSession[] = [];
  afterAll(async () => {
    for (const session of sessions) await session.release();
  });

  it.each(ROWS)('%s', async (_, row) => {
    const model = modelOf(row);
    const x = dataOf(row);
    const session = await InferenceSession.create(model, { device: await testDevice() });
    sessions.push(session);
    const { y } = await session.run({ x });
    const theirs = (await ortCpu(model, { x })).y;
    expect(y?.dims).toEqual(theirs?.dims);
    const expected = Float64Array.from(theirs?.data as ArrayLike<number>);
    const actual = Float32Array.from(y?.data as ArrayLike<number>);
    const isMoved = row.attributes?.mode === 'nearest';
    // Their weights are float32 sums and products of float32 coordinates of up to 13, whose roundings count too.
    const bound = isMoved ? 0 : 13 * sumTolerance({ terms: 16 });
    expectWithin(actual, expected, bound, y?.dims ?? []);
  });
});
