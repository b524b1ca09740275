/** Every algorithm of integer convolution on every case it takes, bit for bit. */
import { defaultCapabilities, type GpuElementType, GpuKernelShapeError, storeNarrow } from '@onegpu/core';
import { runPlan, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { checkConvInteger } from '../../test/check-conv-integer.ts';
import { layoutElements, packNhwc4 } from '../shared/layout.ts';
import { CONV_INTEGER_CASES } from './cases.ts';
import { makeConvIntegerProblem } from './problem.ts';
import { CONV_INTEGER_ALGORITHMS, convIntegerLayout, planConvInteger } from './select.ts';

for (const algorithm of CONV_INTEGER_ALGORITHMS) {
  describe(`conv-integer/${algorithm.name}`, () => {
    const taken = CONV_INTEGER_CASES.filter(
      ({ problem }) => algorithm.impossible(problem, defaultCapabilities()) === undefined,
    );
    it.each(taken)('$name', async ({ problem }) => {
      await checkConvInteger(problem, algorithm.name, false);
      const { packedDotProduct } = (await testDevice()).capabilities;
      if (algorithm.name === 'packed-dot' && packedDotProduct)
        await checkConvInteger(problem, algorithm.name, true);
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
