/**
 * What no kernel may be planned for: extents that are negative, no whole numbers or past what kernels count, and attributes
 * that no operator of ONNX has. Each is refused with operator, field, got and expected before there is a plan; a zero extent
 * is legal everywhere.
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import {
  makeConvIntegerProblem,
  makeConvProblem,
  makeConvTransposeProblem,
  makeDequantizeProblem,
  makeGemmProblem,
  makeGlobalPoolProblem,
  makeLrnProblem,
  makeMatMulIntegerProblem,
  makeMatMulProblem,
  makeMaxUnpoolProblem,
  makePoolProblem,
  makeQuantizeProblem,
  makeResizeProblem,
  makeVolumeConvProblem,
  makeVolumeConvTransposeProblem,
} from '../src/index.ts';

type Changes = Readonly<Record<string, unknown>>;

interface Family {
  readonly name: string;
  /** The problem of a legal request with some of its fields replaced. */
  readonly make: (changes: Changes) => unknown;
  readonly illegal: readonly Changes[];
  readonly empty: readonly Changes[];
}

/** Two extents of this many elements pass 2^32 together. */
const WIDE = 2 ** 20;
const BAD = [-1, 1.5, Number.NaN, 2 ** 31] as const;
const epilogue = { bias: false, residual: false, activation: [] };
const conv = { layout: 'nchw', epilogue, weightsConstant: true };
const bytes = { srcType: 'uint8', weightsType: 'int8' };

/** Each extent of a list replaced by each value that none may have. */
function badExtents(field: string, dims: readonly number[]): Changes[] {
  return dims.flatMap((_, axis) => BAD.map((value) => ({ [field]: dims.with(axis, value) })));
}

const WINDOWS: readonly Changes[] = [
  { pads: [-1, 0, 0, 0] },
  { pads: [1, 1] },
  { pads: [2 ** 31, 0, 0, 0] },
  { strides: [0, 1] },
  { strides: [1.5, 1] },
  { strides: [1] },
  { strides: [2 ** 33, 1] },
  { dilations: [0, 1] },
  { dilations: [2 ** 31, 1], pads: [2 ** 31, 0, 2 ** 31, 0] },
  { autoPad: 'SAME' },
  { autoPad: 'SAME_UPPER', pads: [1, 1, 1, 1] },
];

const GROUPS: readonly Changes[] = [0, -1, 1.5, 3, Number.NaN].map((groups) => ({ groups }));

/** `T` of a request that is built from parts whose types the table does not know. */
function from<T>(make: (request: T) => unknown, base: Changes): (changes: Changes) => unknown {
  return (changes) => make({ ...base, ...changes } as T);
}

const FAMILIES: readonly Family[] = [
  {
    name: 'Conv',
    make: from(makeConvProblem, { ...conv, src: [1, 4, 5, 5], weights: [6, 4, 3, 3] }),
    illegal: [
      ...badExtents('src', [1, 4, 5, 5]),
      ...badExtents('weights', [6, 4, 3, 3]),
      ...[
        { weights: [6, 4, 0, 3] },
        { src: [1, 4, WIDE, WIDE] },
        { src: [1, -4, 5, 5], weights: [6, -4, 3, 3] },
      ],
      ...[...WINDOWS, ...GROUPS],
    ],
    empty: [{ src: [0, 4, 5, 5] }, { weights: [0, 4, 3, 3] }, { src: [1, 4, 0, 5] }],
  },
  {
    name: 'Conv over volumes',
    make: from(makeVolumeConvProblem, { ...conv, src: [1, 4, 5, 5, 5], weights: [6, 4, 3, 3, 3] }),
    illegal: [
      ...badExtents('src', [1, 4, 5, 5, 5]),
      ...badExtents('weights', [6, 4, 3, 3, 3]),
      ...[{ src: [1, 4, 4096, 4096, 4096] }, ...GROUPS],
    ],
    empty: [{ src: [0, 4, 5, 5, 5] }],
  },
  {
    name: 'ConvTranspose',
    make: from(makeConvTransposeProblem, { srcDims: [1, 4, 5, 5], weightsDims: [4, 6, 3, 3] }),
    illegal: [
      ...badExtents('srcDims', [1, 4, 5, 5]),
      ...badExtents('weightsDims', [4, 6, 3, 3]),
      ...[{ strides: [WIDE, WIDE] }, { outputShape: [WIDE, WIDE] }, { outputShape: [-1, 3] }],
      ...[{ outputShape: [3] }, { outputPadding: [-1, 0] }, { outputPadding: [1] }, { pads: [9, 9, 9, 9] }],
      ...[...WINDOWS, ...GROUPS],
    ],
    empty: [{ srcDims: [0, 4, 5, 5] }, { weightsDims: [4, 0, 3, 3] }],
  },
  {
    name: 'ConvTranspose over volumes',
    make: from(makeVolumeConvTransposeProblem, { srcDims: [1, 4, 5, 5, 5], weightsDims: [4, 6, 3, 3, 3] }),
    illegal: [
      ...badExtents('srcDims', [1, 4, 5, 5, 5]),
      ...badExtents('weightsDims', [4, 6, 3, 3, 3]),
      ...[{ strides: [WIDE, WIDE, 1] }, ...GROUPS],
    ],
    empty: [{ srcDims: [0, 4, 5, 5, 5] }],
  },
  {
    name: 'ConvInteger',
    make: from(makeConvIntegerProblem, { ...bytes, src: [1, 4, 5, 5], weights: [6, 4, 3, 3] }),
    illegal: [
      ...badExtents('src', [1, 4, 5, 5]),
      ...badExtents('weights', [6, 4, 3, 3]),
      ...[{ src: [1, 4, WIDE, WIDE] }, { weightsZeroPointDims: [5] }, ...WINDOWS],
      ...[{ groups: 0 }, { groups: 5 }],
    ],
    empty: [{ src: [0, 4, 5, 5] }, { weights: [0, 4, 3, 3] }],
  },
  {
    name: 'MaxPool',
    make: from(makePoolProblem, { operation: 'max', dims: [1, 4, 5, 5], kernel: [3, 3] }),
    illegal: [
      ...badExtents('dims', [1, 4, 5, 5]),
      ...[{ dims: [1, 4, WIDE, WIDE] }, { kernel: [0, 3] }, { kernel: [3] }, { kernel: [9, 9] }, ...WINDOWS],
    ],
    empty: [{ dims: [0, 4, 5, 5] }, { dims: [1, 0, 5, 5] }],
  },
  {
    name: 'LpPool',
    make: from(makePoolProblem, { operation: 'lp', dims: [1, 4, 5, 5], kernel: [3, 3] }),
    illegal: [{ power: 0 }, { power: Number.NaN }, { element: 'uint8' }],
    empty: [],
  },
  {
    name: 'GlobalMaxPool',
    make: from(makeGlobalPoolProblem, { operation: 'max', dims: [1, 4, 5, 5] }),
    illegal: [...badExtents('dims', [1, 4, 5, 5]), { dims: [1, 4] }, { dims: [1, 4, WIDE, WIDE] }],
    empty: [{ dims: [0, 4, 5, 5] }, { dims: [1, 4, 0, 5] }],
  },
  {
    name: 'MaxUnpool',
    make: ({ dims = [1, 4, 5, 5], ...changes }) =>
      from(makeMaxUnpoolProblem, { dims, indicesDims: dims, kernel: [2, 2] })(changes),
    illegal: [
      ...badExtents('dims', [1, 4, 5, 5]),
      ...[{ outputShape: [1, 4, WIDE, WIDE] }, { outputShape: [1, 4, -1, 9] }, { strides: [0, 1] }],
    ],
    empty: [{ dims: [0, 4, 5, 5] }],
  },
  {
    name: 'Gemm',
    make: from(makeGemmProblem, { srcDims: [3, 4], weightsDims: [4, 5] }),
    illegal: [
      ...[...badExtents('srcDims', [3, 4]), ...badExtents('weightsDims', [4, 5])],
      ...[
        { srcDims: [WIDE, 4], weightsDims: [4, WIDE] },
        { srcDims: [3, -4], weightsDims: [-4, 5] },
      ],
      ...[{ alpha: Number.NaN }, { beta: Number.POSITIVE_INFINITY }, { biasDims: [4] }],
    ],
    empty: [{ srcDims: [0, 4] }, { srcDims: [3, 0], weightsDims: [0, 5] }],
  },
  {
    name: 'MatMul',
    make: from(makeMatMulProblem, { srcDims: [2, 3, 4], weightsDims: [4, 5] }),
    illegal: [
      ...[...badExtents('srcDims', [2, 3, 4]), ...badExtents('weightsDims', [4, 5])],
      ...[{ srcDims: [] }, { weightsDims: [3, 4, 5] }, { srcDims: [WIDE, 4], weightsDims: [4, WIDE] }],
    ],
    empty: [{ srcDims: [0, 3, 4] }],
  },
  {
    name: 'MatMulInteger',
    make: from(makeMatMulIntegerProblem, { ...bytes, src: [2, 3, 4], weights: [4, 5] }),
    illegal: [
      ...[...badExtents('src', [2, 3, 4]), ...badExtents('weights', [4, 5])],
      ...[
        { src: [WIDE, 4], weights: [4, WIDE] },
        { src: [3, -4], weights: [-4, 5] },
      ],
    ],
    empty: [{ src: [0, 3, 4] }],
  },
  {
    name: 'Resize',
    make: (changes) =>
      from(makeResizeProblem, {
        dims: [1, 4, 5, 5],
        ...('sizes' in changes ? {} : { scales: [1, 1, 2, 2] }),
      })(changes),
    illegal: [
      ...badExtents('dims', [1, 4, 5, 5]),
      ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY].map((scale) => ({ scales: [1, 1, scale, 1] })),
      ...[{ sizes: [1, 4, -9, 9] }, { sizes: [1, 4, WIDE, WIDE] }, { scales: [1, 1, 1e30, 1] }],
      ...[{ scales: undefined }, { scales: [2, 2] }, { axes: [2, 2], scales: [2, 2] }],
      ...[{ sampling: { mode: 'cubic', cubicCoefficient: Number.NaN } }, { sampling: { antialias: true } }],
    ],
    empty: [{ dims: [0, 4, 5, 5] }, { sizes: [1, 4, 0, 5] }],
  },
  {
    name: 'LRN',
    make: from(makeLrnProblem, { dims: [1, 4, 5, 5], size: 3 }),
    illegal: [
      ...badExtents('dims', [1, 4, 5, 5]),
      ...[{ size: 0 }, { size: 1.5 }, { size: 2 ** 33 }, { alpha: Number.NaN }],
      ...[{ beta: Number.POSITIVE_INFINITY }, { bias: Number.NaN }, { dims: [1, 4, WIDE, WIDE] }],
    ],
    empty: [{ dims: [0, 4, 5, 5] }],
  },
  ...[
    {
      name: 'QuantizeLinear',
      make: from(makeQuantizeProblem, { dims: [1, 4, 5], scaleDims: [], dst: 'uint8' }),
    },
    {
      name: 'DequantizeLinear',
      make: from(makeDequantizeProblem, { dims: [1, 4, 5], scaleDims: [], src: 'uint8' }),
    },
  ].map((family) => ({
    ...family,
    illegal: [
      ...badExtents('dims', [1, 4, 5]),
      ...[{ dims: [1, WIDE, WIDE] }, { axis: 7, scaleDims: [4] }, { scaleDims: [3] }, { blockSize: -1 }],
    ],
    empty: [{ dims: [1, 0, 5] }],
  })),
];

describe.each(FAMILIES)('$name', ({ make, illegal, empty }) => {
  it('takes what it is made from', () => {
    expect(() => make({})).not.toThrow();
  });

  it.each(illegal.map((changes) => [text(changes), changes] as const))('refuses %s', (_, changes) => {
    const error = errorOf(() => make(changes));
    expect(error).toBeInstanceOf(GpuKernelShapeError);
    const details = (error as GpuKernelShapeError).details;
    for (const fact of ['subject', 'field', 'got', 'expected'] as const) {
      expect(details[fact], `${fact} of ${(error as Error).message}`).toMatch(/./);
    }
  });

  it.each(empty.map((changes) => [text(changes), changes] as const))(
    'takes no elements: %s',
    (_, changes) => {
      expect(() => make(changes)).not.toThrow();
    },
  );
});

function text(changes: Changes): string {
  return JSON.stringify(changes, (_, value) => (typeof value === 'number' ? String(value) : value));
}

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
