/**
 * The problems behind the table of operators that are no layers of a network: a few of each family that takes floats,
 * in the extents that vision networks have. Errors are against float64, over every output.
 */
import type { GpuDevice } from '@onegpu/core';
import {
  deformConvSum,
  elementCount,
  gemmReference,
  gemmSum,
  makeDeformConvProblem,
  makeGemmProblem,
  makeGlobalPoolProblem,
  makeMatMulProblem,
  makePoolProblem,
  makeResizeProblem,
  makeVolumeConvProblem,
  makeVolumeConvTransposeProblem,
  PLAIN_EPILOGUE,
  type PoolOperation,
  type PoolRequest,
  planPool,
  planReduce,
  planResize,
  poolSum,
  type ResizeRequest,
  reduceSum,
  referenceDeformConv,
  referencePool,
  referenceReduce,
  referenceResize,
  referenceVolumeConv,
  referenceVolumeConvTranspose,
  resizeSum,
  selectDeformConv,
  selectGemm,
  selectVolumeConv,
  selectVolumeConvTranspose,
  sumTolerance,
  volumeConvDstDims,
  volumeConvSum,
  volumeConvTransposeSum,
} from '@onegpu/kernels';
import { denseError, type FloatType, OPTIONS, positive, values } from './operator-errors.ts';

export interface Measurement {
  readonly name: string;
  readonly measure: () => Promise<number>;
  /** What float32 may cost here, `sumTolerance`; the limit of a row is the largest where nothing tighter is promised. */
  readonly tolerance: number;
}

const WINDOWS: readonly Omit<PoolRequest, 'operation'>[] = [
  { dims: [1, 64, 112, 112], kernel: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] },
  { dims: [1, 64, 56, 56], kernel: [3, 3], pads: [1, 1, 1, 1], countIncludePad: true },
  { dims: [1, 256, 32, 32], kernel: [2, 2], strides: [2, 2] },
  { dims: [1, 72, 28, 28], kernel: [5, 5], strides: [3, 3], pads: [2, 2, 2, 2], ceilMode: true },
  { dims: [1, 960, 7, 7], kernel: [7, 7] },
  { dims: [1, 24, 56, 56], kernel: [56, 56] },
  { dims: [1, 32, 8, 28, 28], kernel: [2, 3, 3], strides: [2, 2, 2], pads: [0, 1, 1, 0, 1, 1] },
];

export function pools(device: GpuDevice, operation: PoolOperation, type: FloatType): readonly Measurement[] {
  return WINDOWS.map((window) => {
    const problem = makePoolProblem({ ...window, operation, layout: 'nhwc4', element: type });
    const { srcDims, dstDims, layout } = problem;
    return {
      name: `${window.dims.join('x')} by ${window.kernel.join('x')}`,
      tolerance: sumTolerance(poolSum(problem)),
      measure: () => {
        const src = positive(srcDims, type, 'pool');
        const { plan } = planPool(problem, device.capabilities, OPTIONS);
        const run = { plan, layout, src, srcDims, dstDims, type };
        return denseError(device, run, referencePool(problem, src));
      },
    };
  });
}

const MAPS = [
  [1, 2048, 7, 7],
  [1, 960, 7, 7],
  [1, 64, 112, 112],
  [2, 32, 8, 14, 14],
];

export function globalPools(
  device: GpuDevice,
  operation: PoolOperation,
  type: FloatType,
): readonly Measurement[] {
  return MAPS.map((dims) => {
    const problem = makeGlobalPoolProblem({ operation, dims, layout: 'nhwc4', element: type });
    const { srcDims, dstDims, layout } = problem;
    return {
      name: dims.join('x'),
      tolerance: sumTolerance(reduceSum(problem)),
      measure: () => {
        const src = positive(srcDims, type, 'global');
        const { plan } = planReduce(problem, device.capabilities, OPTIONS);
        const run = { plan, layout, src, srcDims, dstDims, type };
        return denseError(device, run, referenceReduce(problem, src));
      },
    };
  });
}

type Mode = 'nearest' | 'linear' | 'cubic';

const SIZES: readonly (readonly [dims: readonly number[], sizes: readonly number[]])[] = [
  [
    [1, 64, 16, 16],
    [32, 32],
  ],
  [
    [1, 16, 16, 16],
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

export function resizes(device: GpuDevice, mode: Mode, type: FloatType): readonly Measurement[] {
  const coordinates = ['half_pixel', 'align_corners', 'asymmetric'] as const;
  return SIZES.flatMap(([dims, sizes]) =>
    coordinates.map((position) => {
      const request: ResizeRequest = {
        ...{ dims, sizes, axes: [2, 3], layout: 'nhwc4' as const },
        sampling: { mode, coordinates: position },
      };
      const problem = makeResizeProblem(request);
      const { srcDims, dstDims, layout } = problem;
      return {
        name: `${dims.join('x')} to ${sizes.join('x')} ${position}`,
        tolerance: sumTolerance(resizeSum(problem)),
        measure: () => {
          const src = values('resize', elementCount(srcDims), { type });
          const { plan } = planResize(problem, device.capabilities, OPTIONS);
          const run = { plan, layout, src, srcDims, dstDims, type };
          return denseError(device, run, referenceResize(problem, src));
        },
      };
    }),
  );
}

const DEFORMED = [
  { src: [1, 64, 28, 28], weights: [64, 64, 3, 3], groups: 1, offsetGroups: 1, mask: false },
  { src: [1, 64, 28, 28], weights: [64, 32, 3, 3], groups: 2, offsetGroups: 4, mask: true },
  { src: [2, 128, 14, 14], weights: [128, 128, 3, 3], groups: 1, offsetGroups: 1, mask: true },
] as const;

export function deformConvs(device: GpuDevice, type: FloatType): readonly Measurement[] {
  return DEFORMED.map((shape) => {
    const { src: srcDims, weights: weightsDims, groups, offsetGroups } = shape;
    const [batch, , height, width] = srcDims;
    const points = [batch, offsetGroups * 9, height, width];
    const offset = points.with(1, 2 * offsetGroups * 9);
    const problem = makeDeformConvProblem({
      ...{ src: srcDims, weights: weightsDims, groups, offsetGroups, pads: [1, 1, 1, 1], offset },
      ...{ mask: shape.mask ? points : undefined, epilogue: PLAIN_EPILOGUE, weightsConstant: true },
    });
    return {
      name: `${srcDims.join('x')} by ${weightsDims.join('x')}${shape.mask ? ' with mask' : ''}`,
      tolerance: sumTolerance(deformConvSum(problem)),
      measure: () => {
        const std = Math.sqrt(2 / (weightsDims[1] * 9));
        const src = positive(srcDims, type, 'deform');
        const parameters = {
          weights: values('deform/weights', elementCount(weightsDims), { type, std }),
          offset: values('deform/offset', elementCount(offset), { type, std: 2 }),
          ...(shape.mask ? { mask: positive(points, type, 'deform/mask') } : {}),
        };
        const { plan } = selectDeformConv(problem, device.capabilities, OPTIONS);
        const dstDims = [batch, weightsDims[0], height, width];
        const run = { plan, layout: 'nchw' as const, src, srcDims, dstDims, type, parameters };
        return denseError(device, run, referenceDeformConv(problem, { src, ...parameters }));
      },
    };
  });
}

export function products(device: GpuDevice, type: FloatType): readonly Measurement[] {
  const constant = { weightsConstant: true } as const;
  const problems = [
    makeGemmProblem({
      ...{ srcDims: [1, 2048], weightsDims: [1000, 2048], transB: true, biasDims: [1000], ...constant },
    }),
    makeGemmProblem({
      ...{ srcDims: [8, 960], weightsDims: [1280, 960], transB: true, biasDims: [1280], ...constant },
    }),
    makeMatMulProblem({ srcDims: [1, 197, 384], weightsDims: [384, 384], ...constant }),
    makeMatMulProblem({ srcDims: [6, 197, 64], weightsDims: [6, 64, 197] }),
  ];
  return problems.map((problem) => {
    const { gemmM, gemmN, gemmK, srcMatrices, weightsCount, dstDims, addend } = problem;
    const srcDims = [1 + Math.max(...srcMatrices), gemmM, gemmK];
    return {
      name: `${srcMatrices.length} of ${gemmM}x${gemmK} by ${gemmK}x${gemmN}`,
      tolerance: sumTolerance(gemmSum(problem)),
      measure: () => {
        const src = positive(srcDims, type, 'gemm');
        const std = Math.sqrt(2 / gemmK);
        const parameters = {
          weights: values('gemm/weights', weightsCount * gemmK * gemmN, { type, std }),
          ...(addend === 'none' ? {} : { bias: values('gemm/bias', gemmN, { type, std: 0.1 }) }),
        };
        const { plan } = selectGemm(problem, device.capabilities, OPTIONS);
        const run = { plan, layout: 'nchw' as const, src, srcDims, dstDims, type, parameters };
        return denseError(device, run, gemmReference(problem, { src, ...parameters }));
      },
    };
  });
}

const VOLUME = { src: [1, 32, 8, 14, 14], pads: [1, 1, 1, 1, 1, 1] } as const;

export function volumeConvs(device: GpuDevice, type: FloatType): readonly Measurement[] {
  return [1, 2].map((stride) => {
    const weightsDims = [32, 32, 3, 3, 3];
    const problem = makeVolumeConvProblem({
      ...{ ...VOLUME, weights: weightsDims, strides: [stride, stride, stride] },
      ...{ epilogue: PLAIN_EPILOGUE, weightsConstant: true },
    });
    return {
      name: `${VOLUME.src.join('x')} by ${weightsDims.join('x')}, stride ${stride}`,
      tolerance: sumTolerance(volumeConvSum(problem)),
      measure: () => {
        const src = positive(VOLUME.src, type, 'volume');
        const std = Math.sqrt(2 / (32 * 27));
        const weights = values('volume/weights', elementCount(weightsDims), { type, std });
        const { plan } = selectVolumeConv(problem, device.capabilities, OPTIONS);
        const run = {
          ...{ plan, layout: 'nchw' as const, src, srcDims: VOLUME.src, type, parameters: { weights } },
          dstDims: volumeConvDstDims(problem),
        };
        return denseError(device, run, referenceVolumeConv(problem, { src, weights }));
      },
    };
  });
}

export function volumeTransposes(device: GpuDevice, type: FloatType): readonly Measurement[] {
  return [2, 4].map((kernel) => {
    const weightsDims = [32, 16, kernel, kernel, kernel];
    const problem = makeVolumeConvTransposeProblem({
      ...{ srcDims: VOLUME.src, weightsDims, strides: [2, 2, 2] },
      ...(kernel === 4 ? { pads: VOLUME.pads } : {}),
    });
    return {
      name: `${VOLUME.src.join('x')} by ${weightsDims.join('x')}, stride 2`,
      tolerance: sumTolerance(volumeConvTransposeSum(problem)),
      measure: () => {
        const src = positive(VOLUME.src, type, 'volume');
        const weights = values('volume/weights', elementCount(weightsDims), { type, std: 0.1 });
        const { plan } = selectVolumeConvTranspose(problem, device.capabilities, OPTIONS);
        const run = {
          ...{ plan, layout: 'nchw' as const, src, srcDims: VOLUME.src, type, parameters: { weights } },
          dstDims: problem.dstDims,
        };
        return denseError(device, run, referenceVolumeConvTranspose(problem, { src, weights }));
      },
    };
  });
}
