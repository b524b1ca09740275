/** Every algorithm of integer matrix products on every case it takes, bit for bit. */
import {
  defaultCapabilities,
  type GpuElementType,
  GpuKernelShapeError,
  type OperandArray,
  storeNarrow,
} from '@onegpu/core';
import { expectExact, integerFill, runPlan, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referenceMatMulInteger } from '../reference/matmul-integer.ts';
import { elementCount } from '../shared/layout.ts';
import type { ByteType } from '../shared/quantized-type.ts';
import { MATMUL_INTEGER_CASES } from './cases.ts';
import { makeMatMulIntegerProblem } from './problem.ts';
import { MATMUL_INTEGER_ALGORITHMS, planMatMulInteger } from './select.ts';

function bytes(type: ByteType, dims: readonly number[], seed: number): OperandArray {
  const [low, high] = type === 'int8' ? [-128, 127] : [0, 255];
  const values = integerFill(elementCount(dims), seed, low, high);
  return type === 'int8' ? Int8Array.from(values) : Uint8Array.from(values);
}

for (const algorithm of MATMUL_INTEGER_ALGORITHMS) {
  describe(`matmul-integer/${algorithm.name}`, () => {
    const taken = MATMUL_INTEGER_CASES.filter(
      ({ problem }) => algorithm.impossible(problem, defaultCapabilities()) === undefined,
    );
    it.each(taken)('$name', async ({ problem }) => {
      const device = await testDevice();
      const { srcType, weightsType, rowDims, columnDims, gemmK, srcZeroDims, weightsZeroDims, fullDims } =
        problem;
      const src = bytes(srcType, [...rowDims, gemmK], 1);
      const weights = bytes(weightsType, [...columnDims, gemmK], 2);
      const srcZeroPoint = srcZeroDims === undefined ? undefined : bytes(srcType, srcZeroDims, 3);
      const weightsZeroPoint =
        weightsZeroDims === undefined ? undefined : bytes(weightsType, weightsZeroDims, 4);
      const options = { mode: 'fast', algorithm: algorithm.name } as const;
      const { plan } = planMatMulInteger(problem, device.capabilities, options);
      const types: Record<string, GpuElementType> = {
        src: srcType,
        srcZeroPoint: srcType,
        weights: weightsType,
        weightsZeroPoint: weightsType,
      };
      const length = elementCount(fullDims);
      const { dst } = await runPlan(device, storeNarrow(plan, types, device.capabilities), {
        inputs: {
          src,
          weights,
          ...(srcZeroPoint === undefined ? {} : { srcZeroPoint }),
          ...(weightsZeroPoint === undefined ? {} : { weightsZeroPoint }),
        },
        outputs: { dst: { type: 'int32', length } },
      });
      const operands = { src, weights, srcZeroPoint, weightsZeroPoint };
      expectExact(dst, referenceMatMulInteger(problem, operands), [length]);
    });
  });
}

it('problems refuse operands that do not fit', () => {
  const refuse = (change: object): void =>
    expect(() =>
      makeMatMulIntegerProblem({
        srcType: 'int8',
        weightsType: 'int8',
        src: [3, 4],
        weights: [4, 5],
        ...change,
      }),
    ).toThrow(GpuKernelShapeError);
  refuse({ src: [] });
  refuse({ weights: [3, 5] });
  refuse({ src: [2, 3, 4], weights: [3, 4, 5] });
  refuse({ srcZeroPointDims: [4] });
  refuse({ srcZeroPointDims: [1, 3] });
  refuse({ weightsZeroPointDims: [3] });
  refuse({ weightsZeroPointDims: [5, 1] });
});
