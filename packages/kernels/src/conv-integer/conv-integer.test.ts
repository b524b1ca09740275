/** Every algorithm of integer convolution on every case it takes, bit for bit. */
import {
  defaultCapabilities,
  type GpuElementType,
  GpuKernelShapeError,
  type OperandArray,
  storeNarrow,
} from '@onegpu/core';
import { expectExact, integerFill, runPlan, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referenceConvInteger } from '../reference/conv-integer.ts';
import { elementCount, layoutElements, packNhwc4 } from '../shared/layout.ts';
import type { ByteType } from '../shared/quantized-type.ts';
import { CONV_INTEGER_CASES } from './cases.ts';
import { type ConvIntegerProblem, makeConvIntegerProblem } from './problem.ts';
import { CONV_INTEGER_ALGORITHMS, convIntegerLayout, planConvInteger } from './select.ts';

/** The whole range of the type, its ends among them. */
function bytes(type: ByteType, length: number, seed: number): OperandArray {
  const [low, high] = type === 'int8' ? [-128, 127] : [0, 255];
  const values = integerFill(length, seed, low, high);
  values.set([low, high].slice(0, length));
  return type === 'int8' ? Int8Array.from(values) : Uint8Array.from(values);
}

async function check(
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

for (const algorithm of CONV_INTEGER_ALGORITHMS) {
  describe(`conv-integer/${algorithm.name}`, () => {
    const taken = CONV_INTEGER_CASES.filter(
      ({ problem }) => algorithm.impossible(problem, defaultCapabilities()) === undefined,
    );
    it.each(taken)('$name', async ({ problem }) => {
      await check(problem, algorithm.name, false);
      const { packedDotProduct } = (await testDevice()).capabilities;
      if (algorithm.name === 'packed-dot' && packedDotProduct) await check(problem, algorithm.name, true);
    });
  });
}

describe('sums past int32', () => {
  it('wrap around', async () => {
    // 255 * 127 * 66500 is past 2^31.
    const src = [1, 66500, 1] as const;
    for (const layout of ['nchw', 'nhwc4'] as const) {
      const problem = makeConvIntegerProblem({
        srcType: 'uint8',
        weightsType: 'int8',
        src,
        weights: [1, 66500, 1],
        layout,
        weightsConstant: true,
      });
      const device = await testDevice();
      const { plan } = planConvInteger(problem, device.capabilities, { mode: 'fast' });
      const types: Record<string, GpuElementType> = { src: 'uint8', weights: 'int8' };
      const dense = new Uint8Array(66500).fill(255);
      const { dst } = await runPlan(device, storeNarrow(plan, types, device.capabilities), {
        inputs: {
          src: layout === 'nhwc4' ? packNhwc4(dense, src) : dense,
          weights: new Int8Array(66500).fill(127),
        },
        outputs: { dst: { type: 'int32', length: layoutElements([1, 1, 1], layout) } },
      });
      expect(dst[0]).toBe((255 * 127 * 66500) | 0);
    }
  });
});

describe('problems', () => {
  const request = {
    srcType: 'uint8',
    weightsType: 'int8',
    src: [1, 4, 5, 5],
    weights: [6, 4, 3, 3],
  } as const;

  it('refuse channels, groups and zero points that do not fit', () => {
    const refuse = (change: object): void =>
      expect(() => makeConvIntegerProblem({ ...request, ...change })).toThrow(GpuKernelShapeError);
    refuse({ groups: 4 });
    refuse({ weights: [6, 3, 3, 3] });
    refuse({ weights: [6, 4, 3] });
    refuse({ weightsZeroPointDims: [5] });
    refuse({ weights: [6, 4, 7, 3] });
  });

  it('compile nothing for another picture size', () => {
    const wgsl = (side: number, layout: 'nchw' | 'nhwc4'): string[] =>
      planConvInteger(
        makeConvIntegerProblem({ ...request, src: [side, 4, side, 9], layout, weightsConstant: true }),
        defaultCapabilities(),
        { mode: 'fast' },
      ).plan.passes.map((pass) => pass.wgsl);
    expect(wgsl(5, 'nchw')).toEqual(wgsl(11, 'nchw'));
    expect(wgsl(5, 'nhwc4')).toEqual(wgsl(11, 'nhwc4'));
  });

  it('are taken channels last where the weights are constant', () => {
    const layoutOf = (weightsConstant: boolean) =>
      convIntegerLayout(makeConvIntegerProblem({ ...request, weightsConstant }));
    expect(layoutOf(true)).toBe('nhwc4');
    expect(layoutOf(false)).toBe('nchw');
  });
});
