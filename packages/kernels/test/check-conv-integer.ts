/** Runs one integer convolution over bytes of their whole range and compares it bit for bit with plain loops. */
import { type GpuElementType, type OperandArray, storeNarrow } from '@onegpu/core';
import { expectExact, integerFill, runPlan, testDevice } from '@onegpu/testing';
import type { ConvIntegerProblem } from '../src/conv-integer/problem.ts';
import { planConvInteger } from '../src/conv-integer/select.ts';
import { referenceConvInteger } from '../src/reference/conv-integer.ts';
import { elementCount, layoutElements, packNhwc4 } from '../src/shared/layout.ts';
import type { ByteType } from '../src/shared/quantized-type.ts';

/** The whole range of the type, its ends among them. */
function bytes(type: ByteType, length: number, seed: number): OperandArray {
  const [low, high] = type === 'int8' ? [-128, 127] : [0, 255];
  const values = integerFill(length, seed, low, high);
  values.set([low, high].slice(0, length));
  return type === 'int8' ? Int8Array.from(values) : Uint8Array.from(values);
}

export async function checkConvInteger(
  problem: ConvIntegerProblem,
  algorithm: string,
  packedDotProduct: boolean,
): Promise<void> {
  const device = await testDevice();
  const { srcDims, dstDims, layout, srcType, weightsType } = problem;
  const src = bytes(srcType, elementCount(srcDims), 1);
  const weights = bytes(weightsType, elementCount(problem.weightsDims), 2);
  const srcZeroPoint = problem.srcZeroPoint ? bytes(srcType, 3, 3).slice(2) : undefined;
  const zeros = { none: 0, one: 1, channel: problem.oc }[problem.weightsZeroPoint];
  const weightsZeroPoint = zeros === 0 ? undefined : bytes(weightsType, zeros, 4);
  const target = { ...device.capabilities, packedDotProduct };
  const { plan } = planConvInteger(problem, target, { mode: 'fast', algorithm });
  const types: Record<string, GpuElementType> = {
    src: srcType,
    srcZeroPoint: srcType,
    weights: weightsType,
    weightsZeroPoint: weightsType,
  };
  const { dst } = await runPlan(device, storeNarrow(plan, types, device.capabilities), {
    inputs: {
      src: layout === 'nhwc4' ? packNhwc4(src, srcDims) : src,
      weights,
      ...(srcZeroPoint === undefined ? {} : { srcZeroPoint }),
      ...(weightsZeroPoint === undefined ? {} : { weightsZeroPoint }),
    },
    outputs: { dst: { type: 'int32', length: layoutElements(dstDims, layout) } },
  });
  const expected = referenceConvInteger(problem, { src, weights, srcZeroPoint, weightsZeroPoint });
  const stored = layout === 'nhwc4' ? packNhwc4(expected, dstDims) : expected;
  expectExact(dst, stored, [stored.length]);
}
