/** The comparer of conformance runs: what passes, what fails, and what it says. */
import { numberToHalf, Tensor } from '@onegpu/onnx';
import { describe, expect, it } from 'vitest';
import { tensorDifference } from './compare.ts';

const float = (values: readonly number[], dims?: readonly number[]) => new Tensor('float32', values, dims);
const half = (values: readonly number[]) => new Tensor('float16', values.map(numberToHalf));

describe('tensorDifference', () => {
  it('takes floats within a thousandth and a hundred-thousandth', () => {
    expect(tensorDifference(float([1000, 0]), float([1000.9, 9e-6]))).toBeUndefined();
    expect(tensorDifference(float([1000]), float([1001.2]))).toContain('1 of 1 elements differ');
    expect(tensorDifference(float([2e-5]), float([0]))).toContain('expected 0');
  });

  it('takes halves within a hundredth and a thousandth', () => {
    expect(tensorDifference(half([1, 0.0005]), half([1.009, 0]))).toBeUndefined();
    expect(tensorDifference(half([1]), half([1.02]))).toContain('[0]: 1, expected 1.01953125');
  });

  it('holds halves to the bound of a case by their values', () => {
    const bound = { bound: 2 ** -11, scale: 2 };
    expect(tensorDifference(half([1, 2]), half([1 + 2 ** -10, 2]), bound)).toBeUndefined();
    expect(tensorDifference(half([1, 2]), half([1 + 2 ** -9, 2]), bound)).toContain('1 of 2 elements differ');
    expect(tensorDifference(half([1, -1]), half([1, 1]), { bound: 0, scale: 1 })).toContain('first at [1]');
  });

  it('asks integers, booleans and texts to be equal', () => {
    expect(
      tensorDifference(new Tensor('int64', [2n ** 60n]), new Tensor('int64', [2n ** 60n + 1n])),
    ).toContain('differ');
    expect(tensorDifference(new Tensor('uint8', [1, 2]), new Tensor('uint8', [1, 2]))).toBeUndefined();
    expect(tensorDifference(new Tensor('bool', [1]), new Tensor('bool', [0]))).toContain('1, expected 0');
    expect(tensorDifference(new Tensor('string', ['a']), new Tensor('string', ['b']))).toContain(
      '"a", expected "b"',
    );
  });

  it('holds NaN equal to NaN and infinities to themselves alone', () => {
    const { NaN: nan, POSITIVE_INFINITY: infinity, MAX_VALUE: large } = Number;
    expect(tensorDifference(float([nan, infinity]), float([nan, infinity]))).toBeUndefined();
    expect(tensorDifference(float([nan]), float([0]))).toContain('NaN, expected 0');
    expect(tensorDifference(float([0]), float([nan]))).toContain('0, expected NaN');
    expect(tensorDifference(float([infinity]), float([-infinity]))).toContain('expected -Infinity');
    expect(tensorDifference(new Tensor('float64', [large]), new Tensor('float64', [infinity]))).toContain(
      'differ',
    );
  });

  it('names the type, the shape, and the coordinates of the first element that differs', () => {
    expect(tensorDifference(float([1]), new Tensor('float64', [1]))).toBe('type float32, expected float64');
    expect(tensorDifference(float([1]), float([1], []))).toBe('shape [1], expected []');
    expect(tensorDifference(float([1, 2, 3, 4, 5, 6], [2, 3]), float([1, 2, 3, 4, 5, 9], [2, 3]))).toBe(
      '1 of 6 elements differ, first at [1, 2]: 6, expected 9',
    );
    expect(tensorDifference(float([], [0, 2]), float([], [0, 2]))).toBeUndefined();
  });
});
