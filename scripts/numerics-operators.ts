/**
 * The table of `npm run numerics -- operators`: the largest scaled error of each family of operators against
 * float64 on the adapter in use, beside its limit. Convolutions are the layers of the networks named, at batch 1.
 */
import { type ConvLayer, LAYER_NETWORKS, type LayerNetwork, layerLabel } from '@onegpu/bench';
import { type GpuDevice, storeNarrow } from '@onegpu/core';
import {
  elementCount,
  layoutElements,
  makeConvIntegerProblem,
  type PoolRequest,
  packNhwc4,
  planConvInteger,
  type ResizeRequest,
  referenceConvInteger,
} from '@onegpu/kernels';
import { integerFill, runPlan } from '@onegpu/testing';
import { convError, type FloatType, poolError, resizeError } from './operator-errors.ts';

export interface OperatorRow {
  readonly operator: string;
  readonly type: string;
  readonly problems: number;
  /** Largest scaled error. */
  readonly error: number;
  /** Largest that is allowed; 0 where every bit must agree. */
  readonly limit: number;
  /** The problem with the largest error. */
  readonly worst: string;
}

interface Measurement {
  readonly name: string;
  readonly measure: () => Promise<number>;
}

type Progress = (what: string) => void;

/** One rounding to half of the largest value: half of its last place, and the error of the sum in float32. */
const HALF_LIMIT = 4.9e-4;
const TYPES: readonly FloatType[] = ['float32', 'float16'];

const WINDOWS: readonly Omit<PoolRequest, 'operation'>[] = [
  { dims: [1, 64, 112, 112], kernel: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] },
  { dims: [1, 64, 56, 56], kernel: [3, 3], pads: [1, 1, 1, 1], countIncludePad: true },
  { dims: [1, 256, 32, 32], kernel: [2, 2], strides: [2, 2] },
  { dims: [1, 72, 28, 28], kernel: [5, 5], strides: [3, 3], pads: [2, 2, 2, 2], ceilMode: true },
  { dims: [1, 960, 7, 7], kernel: [7, 7] },
  { dims: [1, 24, 56, 56], kernel: [56, 56] },
];

const SIZES: readonly (readonly [dims: readonly number[], sizes: readonly number[]])[] = [
  [
    [1, 256, 16, 16],
    [32, 32],
  ],
  [
    [1, 64, 16, 16],
    [128, 128],
  ],
  [
    [1, 3, 375, 500],
    [224, 224],
  ],
  [
    [1, 3, 97, 131],
    [150, 200],
  ],
];

/** Rows in the order of the table; `progress` hears what runs. */
export async function operatorRows(
  device: GpuDevice,
  networks: readonly LayerNetwork[],
  progress: Progress,
): Promise<readonly OperatorRow[]> {
  const layers = networks.flatMap((network) =>
    LAYER_NETWORKS[network].map((layer: ConvLayer) => ({ name: layerLabel(network, layer), layer })),
  );
  const rows: OperatorRow[] = [];
  const add = async (operator: string, type: string, limit: number, list: readonly Measurement[]) => {
    if (list.length > 0) rows.push(await largest({ operator, type, limit }, list, progress));
  };
  for (const type of TYPES) {
    const limit = (float32: number): number => (type === 'float16' ? HALF_LIMIT : float32);
    for (const transposed of [false, true]) {
      const list = layers
        .filter(({ layer }) => (layer.transposed ?? false) === transposed)
        .map(({ name, layer }) => ({ name, measure: () => convError(device, layer, type) }));
      await add(transposed ? 'ConvTranspose' : 'Conv', type, limit(1e-6), list);
    }
    await add('AveragePool', type, limit(2.3e-7), pools(device, 'average', type));
    await add('Resize linear', type, limit(1.6e-7), resizes(device, 'linear', type));
  }
  for (const type of TYPES) {
    await add('MaxPool', type, 0, pools(device, 'max', type));
    await add('Resize nearest', type, 0, resizes(device, 'nearest', type));
  }
  await add('ConvInteger', 'uint8, int8', 0, integerConvs(device));
  return rows;
}

async function largest(
  row: Pick<OperatorRow, 'operator' | 'type' | 'limit'>,
  list: readonly Measurement[],
  progress: Progress,
): Promise<OperatorRow> {
  let [error, worst] = [0, ''];
  for (const { name, measure } of list) {
    progress(`${row.operator} ${row.type} ${name}`);
    const found = await measure();
    if (found > error) [error, worst] = [found, name];
  }
  return { ...row, problems: list.length, error, worst };
}

function pools(device: GpuDevice, operation: 'average' | 'max', type: FloatType): readonly Measurement[] {
  return WINDOWS.map((window) => ({
    name: `${window.dims.join('x')} by ${window.kernel.join('x')}`,
    measure: () => poolError(device, { ...window, operation }, type),
  }));
}

function resizes(device: GpuDevice, mode: 'linear' | 'nearest', type: FloatType): readonly Measurement[] {
  const coordinates = ['half_pixel', 'align_corners', 'asymmetric'] as const;
  return SIZES.flatMap(([dims, sizes]) =>
    coordinates.map((position) => {
      const request: ResizeRequest = {
        ...{ dims, sizes, axes: [2, 3], layout: 'nhwc4' as const },
        sampling: { mode, coordinates: position },
      };
      const name = `${dims.join('x')} to ${sizes.join('x')} ${position}`;
      return { name, measure: () => resizeError(device, request, type) };
    }),
  );
}

/** Layers of small pictures, whose every output the host sums; the error is the share of values that differ. */
function integerConvs(device: GpuDevice): readonly Measurement[] {
  const shapes = [
    { src: [1, 256, 14, 14], weights: [64, 256, 1, 1], groups: 1 },
    { src: [1, 64, 14, 14], weights: [64, 64, 3, 3], groups: 1 },
    { src: [1, 3, 56, 56], weights: [16, 3, 7, 7], groups: 1 },
    { src: [1, 72, 28, 28], weights: [72, 1, 5, 5], groups: 72 },
  ];
  return shapes.map((shape) => ({
    name: `${shape.src.join('x')} by ${shape.weights.join('x')}`,
    measure: () => integerError(device, shape),
  }));
}

async function integerError(
  device: GpuDevice,
  { src: srcDims, weights: weightsDims, groups }: { src: number[]; weights: number[]; groups: number },
): Promise<number> {
  const pad = ((weightsDims[2] ?? 1) - 1) / 2;
  const problem = makeConvIntegerProblem({
    ...{ srcType: 'uint8', weightsType: 'int8', src: srcDims, weights: weightsDims, groups },
    ...{ pads: [pad, pad, pad, pad], srcZeroPoint: true, weightsZeroPointDims: undefined },
    ...{ weightsConstant: true, layout: 'nhwc4' },
  });
  const src = Uint8Array.from(integerFill(elementCount(srcDims), 1, 0, 255));
  const weights = Int8Array.from(integerFill(elementCount(weightsDims), 2, -128, 127));
  const srcZeroPoint = Uint8Array.of(117);
  const { plan } = planConvInteger(problem, device.capabilities, { mode: 'deterministic' });
  const types = { src: 'uint8', srcZeroPoint: 'uint8', weights: 'int8' } as const;
  const { dst } = await runPlan(device, storeNarrow(plan, types, device.capabilities), {
    inputs: { src: packNhwc4(src, srcDims), weights, srcZeroPoint },
    outputs: { dst: { type: 'int32', length: layoutElements(problem.dstDims, 'nhwc4') } },
  });
  const sums = referenceConvInteger(problem, { src, weights, srcZeroPoint, weightsZeroPoint: undefined });
  const expected = packNhwc4(sums, problem.dstDims);
  return dst.reduce((count, value, at) => count + (value === expected[at] ? 0 : 1), 0) / dst.length;
}
