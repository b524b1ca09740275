/** Resize of integers: nearest moves every width, linear and cubic are bit for bit the rounded float64 result. */
import { defaultCapabilities, type OperandArray, storeNarrow } from '@onegpu/core';
import { expectExact, runPlan, seededRandom, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referenceResize } from '../reference/resize.ts';
import { elementCount } from '../shared/layout.ts';
import { type IntegerElement, integerFormat, type ResizeElement, toInteger } from './element.ts';
import { makeResizeProblem, type ResizeProblem, type ResizeRequest } from './problem.ts';
import { planResize } from './select.ts';

const ELEMENTS = ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32'] as const;
const ARRAYS = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
} as const;

/** Over the whole range of the type. */
function fill(element: IntegerElement, length: number): OperandArray {
  const { bits, signed } = integerFormat(element);
  const random = seededRandom(7);
  const at = (): number => Math.floor(random() * 2 ** bits) - (signed ? 2 ** (bits - 1) : 0);
  return ARRAYS[element].from(Array.from({ length }, at));
}

async function run(problem: ResizeProblem, src: OperandArray): Promise<OperandArray> {
  const device = await testDevice();
  const { plan } = planResize(problem, device.capabilities, { mode: 'deterministic' });
  const type = problem.element as IntegerElement;
  const narrowed = storeNarrow(plan, { src: type, dst: type }, device.capabilities);
  const { dst } = await runPlan(device, narrowed, {
    inputs: { src },
    outputs: { dst: { type, length: elementCount(problem.dstDims) } },
    partial: true,
  });
  return dst;
}

const dims = [2, 3, 5, 7];
const REQUESTS: readonly (readonly [string, Partial<ResizeRequest>])[] = [
  ['nearest', { sizes: [2, 3, 9, 5] }],
  ['linear by 2', { scales: [1, 1, 2, 2], sampling: { mode: 'linear' } }],
  ['linear to primes', { sizes: [2, 3, 13, 11], sampling: { mode: 'linear' } }],
  [
    'linear of every axis',
    { sizes: [3, 5, 4, 5], sampling: { mode: 'linear', coordinates: 'align_corners' } },
  ],
  ['linear, antialiased', { sizes: [2, 3, 2, 3], sampling: { mode: 'linear', antialias: true } }],
  ['cubic', { sizes: [2, 3, 11, 13], sampling: { mode: 'cubic' } }],
  ['cubic, outside excluded', { sizes: [2, 3, 3, 13], sampling: { mode: 'cubic', excludeOutside: true } }],
  [
    'crop',
    {
      sizes: [2, 3, 7, 9],
      roi: [0, 0, -0.2, 0.3, 1, 1, 0.9, 1.4],
      sampling: { mode: 'linear', coordinates: 'tf_crop_and_resize', extrapolation: 100.7 },
    },
  ],
];

describe.each(ELEMENTS)('resize of %s', (element) => {
  it.each(REQUESTS)('%s', async (_, request) => {
    const problem = makeResizeProblem({ dims, element, ...request });
    const src = fill(element, elementCount(dims));
    const expected = Array.from(referenceResize(problem, src), (value) => toInteger(value, element));
    expectExact(await run(problem, src), ARRAYS[element].from(expected), problem.dstDims);
  });

  it.each(['linear', 'cubic'] as const)(
    'keeps a constant picture of either end of the range, %s',
    async (mode) => {
      const problem = makeResizeProblem({ dims, element, sizes: [2, 3, 13, 3], sampling: { mode } });
      const { bits, signed } = integerFormat(element);
      for (const value of signed ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1]) {
        const src = ARRAYS[element].from(new Array(elementCount(dims)).fill(value));
        const expected = ARRAYS[element].from(new Array(elementCount(problem.dstDims)).fill(value));
        expectExact(await run(problem, src), expected, problem.dstDims);
      }
    },
  );
});

describe('resize of bytes', () => {
  it.each([
    ['linear', [10, 12, 21, 34, 41], [10, 10, 12, 14, 19, 24, 31, 36, 39, 41]],
    ['cubic', [0, 255, 255, 0, 7], [0, 58, 197, 255, 255, 197, 57, 0, 0, 8]],
  ] as const)('as ONNX rounds, %s', async (mode, source, expected) => {
    const problem = makeResizeProblem({ dims: [5], element: 'uint8', sizes: [10], sampling: { mode } });
    expectExact(await run(problem, Uint8Array.from(source)), Uint8Array.from(expected), [10]);
  });
});

describe('resize of 64-bit integers', () => {
  it.each(['int64', 'uint64'] as const)('nearest moves both words of %s', async (element) => {
    const problem = makeResizeProblem({
      dims: [2, 3],
      element,
      sizes: [3, 4],
      roi: [0, 0, 1, 1.5],
      sampling: { coordinates: 'tf_crop_and_resize', nearest: 'floor', extrapolation: -5 },
    });
    const device = await testDevice();
    const { plan } = planResize(problem, device.capabilities, { mode: 'fast' });
    const values = [1n, -2n, 2n ** 62n + 3n, -(2n ** 63n), 5n, 0n];
    const src = new Uint32Array(BigInt64Array.from(values).buffer);
    const { dst } = await runPlan(device, plan, {
      inputs: { src },
      outputs: { dst: { type: 'uint32', length: 24 } },
    });
    const outside = element === 'int64' ? -5n : 0n;
    const row = (at: number): (bigint | undefined)[] => [
      values[3 * at],
      values[3 * at + 1],
      values[3 * at + 2],
      outside,
    ];
    expect([...new BigInt64Array(dst.buffer, dst.byteOffset, 12)]).toEqual([...row(0), ...row(0), ...row(1)]);
  });

  it('linear is refused', () => {
    const problem = makeResizeProblem({
      dims: [4],
      element: 'int64' satisfies ResizeElement,
      sizes: [7],
      sampling: { mode: 'linear' },
    });
    expect(() => planResize(problem, defaultCapabilities(), { mode: 'fast' })).toThrow(/up to 32 bits/);
  });
});
