/** Integer convolutions of the table of operators. */
import { type GpuDevice, storeNarrow } from '@onegpu/core';
import {
  elementCount,
  layoutElements,
  makeConvIntegerProblem,
  packNhwc4,
  planConvInteger,
  referenceConvInteger,
} from '@onegpu/kernels';
import { integerFill, runPlan } from '@onegpu/testing';
import type { Measurement } from './operator-problems.ts';

/** Layers of small pictures, whose every output the host sums; the error is the share of values that differ. */
export function integerConvs(device: GpuDevice): readonly Measurement[] {
  const shapes = [
    { src: [1, 256, 14, 14], weights: [64, 256, 1, 1], groups: 1 },
    { src: [1, 64, 14, 14], weights: [64, 64, 3, 3], groups: 1 },
    { src: [1, 3, 56, 56], weights: [16, 3, 7, 7], groups: 1 },
    { src: [1, 72, 28, 28], weights: [72, 1, 5, 5], groups: 72 },
  ];
  return shapes.map((shape) => ({
    name: `${shape.src.join('x')} by ${shape.weights.join('x')}`,
    tolerance: 0,
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
