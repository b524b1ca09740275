import { describe, expect, it } from 'vitest';
import { evaluateNode } from '../../test/evaluate-node.ts';
import { elementCount, Tensor } from '../tensor.ts';

const int64 = (...values: readonly number[]): Tensor =>
  new Tensor('int64', values.map(BigInt), [values.length]);
const zeros = (...dims: readonly number[]): Tensor =>
  new Tensor('float32', new Float32Array(elementCount(dims)), dims);

function reshaped(from: readonly number[], to: readonly number[], attributes = {}): readonly number[] {
  return evaluateNode({ op: 'Reshape', attributes }, [zeros(...from), int64(...to)]).dims;
}

describe('Reshape', () => {
  it.each([
    [
      [2, 3, 4],
      [4, 6],
      [4, 6],
    ],
    [[2, 3, 4], [-1], [24]],
    [
      [2, 3, 4],
      [0, -1],
      [2, 12],
    ],
    [
      [2, 3, 4],
      [0, 0, 2, -1],
      [2, 3, 2, 2],
    ],
    [
      [2, 3, 4],
      [-1, 0, 4],
      [2, 3, 4],
    ],
    [
      [0, 3],
      [3, -1],
      [3, 0],
    ],
    [
      [0, 3],
      [0, 1],
      [0, 1],
    ],
    [[1], [], []],
  ])('%j to %j is %j', (from, to, expected) => {
    expect(reshaped(from, to)).toEqual(expected);
  });

  it('takes 0 for itself with allowzero', () => {
    expect(reshaped([0, 3], [3, 0], { allowzero: 1 })).toEqual([3, 0]);
    expect(() => reshaped([2, 3], [0, 6], { allowzero: 1 })).toThrow(/Reshape/);
  });

  it('reads the attribute of opset 1', () => {
    expect(evaluateNode({ op: 'Reshape', attributes: { shape: [3, -1] } }, [zeros(2, 3)], 1).dims).toEqual([
      3, 2,
    ]);
  });

  it.each([
    [[2, 3], [4]],
    [
      [2, 3],
      [4, -1],
    ],
    [
      [2, 3],
      [-1, -1],
    ],
    [
      [2, 3],
      [-2, 3],
    ],
    [
      [2, 3],
      [1, 2, 0],
    ],
    [
      [0, 3],
      [0, -1],
    ],
  ])('refuses %j to %j', (from, to) => {
    expect(() => reshaped(from, to)).toThrow(/Reshape "node".*do not fit/);
  });

  it('keeps the elements', () => {
    const src = new Tensor('int8', [1, 2, 3, 4], [4]);
    expect(evaluateNode({ op: 'Reshape' }, [src, int64(2, 2)])).toEqual(
      new Tensor('int8', [1, 2, 3, 4], [2, 2]),
    );
  });
});

describe('Flatten', () => {
  it.each([
    [undefined, [2, 60]],
    [0, [1, 120]],
    [2, [6, 20]],
    [4, [120, 1]],
    [-1, [24, 5]],
  ])('at axis %s is %j', (axis, expected) => {
    const attributes: Record<string, number> = axis === undefined ? {} : { axis };
    expect(evaluateNode({ op: 'Flatten', attributes }, [zeros(2, 3, 4, 5)]).dims).toEqual(expected);
  });

  it('refuses an axis beyond the rank', () => {
    expect(() => evaluateNode({ op: 'Flatten', attributes: { axis: 3 } }, [zeros(2, 3)])).toThrow(
      /axis.*got 3/,
    );
  });
});

describe('Squeeze and Unsqueeze', () => {
  it('read axes from the input or, before opset 13, the attribute', () => {
    const src = zeros(1, 3, 1, 5);
    expect(evaluateNode({ op: 'Squeeze' }, [src, int64(-2)]).dims).toEqual([1, 3, 5]);
    expect(evaluateNode({ op: 'Squeeze', attributes: { axes: [0, 2] } }, [src], 11).dims).toEqual([3, 5]);
    expect(evaluateNode({ op: 'Squeeze' }, [src]).dims).toEqual([3, 5]);
    expect(evaluateNode({ op: 'Unsqueeze' }, [zeros(3, 5), int64(-1, 0)]).dims).toEqual([1, 3, 5, 1]);
    expect(evaluateNode({ op: 'Unsqueeze', attributes: { axes: [1] } }, [zeros(3, 5)], 11).dims).toEqual([
      3, 1, 5,
    ]);
  });

  it('refuse axes that are out of range, there twice or larger than 1', () => {
    expect(() => evaluateNode({ op: 'Squeeze' }, [zeros(1, 3), int64(1)])).toThrow(/axis 1 of \[1, 3\]/);
    expect(() => evaluateNode({ op: 'Squeeze' }, [zeros(1, 3), int64(2)])).toThrow(/-2 to 1/);
    expect(() => evaluateNode({ op: 'Unsqueeze' }, [zeros(3), int64(0, -3)])).toThrow(/each axis once/);
  });
});

describe('Identity and Dropout', () => {
  it('give their input', () => {
    const src = new Tensor('float16', [0x3c00, 0x8000], [2, 1]);
    expect(evaluateNode({ op: 'Identity' }, [src])).toEqual(src);
    expect(evaluateNode({ op: 'Dropout' }, [src, new Tensor('float32', [0.5], [])])).toEqual(src);
  });
});
