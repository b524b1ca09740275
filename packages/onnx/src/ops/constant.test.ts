import { describe, expect, it } from 'vitest';
import { evaluateNode } from '../../test/evaluate-node.ts';
import { Tensor, type TensorType } from '../tensor.ts';

const int64 = (...values: readonly number[]): Tensor =>
  new Tensor('int64', values.map(BigInt), [values.length]);

describe('Shape and Size', () => {
  const src = new Tensor('int8', new Int8Array(24), [2, 3, 4]);

  it.each([
    [{}, [2, 3, 4]],
    [{ start: 1 }, [3, 4]],
    [{ end: -1 }, [2, 3]],
    [{ start: -2, end: 2 }, [3]],
    [{ start: 2, end: 1 }, []],
    [{ start: -9, end: 9 }, [2, 3, 4]],
  ])('Shape %j is %j', (attributes, expected) => {
    expect(evaluateNode({ op: 'Shape', attributes }, [src])).toEqual(int64(...expected));
  });

  it('Size is a scalar', () => {
    expect(evaluateNode({ op: 'Size' }, [src])).toEqual(new Tensor('int64', [24n], []));
  });
});

describe('ConstantOfShape', () => {
  it('fills with float32 zeros, or the value', () => {
    expect(evaluateNode({ op: 'ConstantOfShape' }, [int64(2, 0)])).toEqual(new Tensor('float32', [], [2, 0]));
    expect(evaluateNode({ op: 'ConstantOfShape' }, [int64()])).toEqual(new Tensor('float32', [0], []));
    const attributes = { value: new Tensor('int64', [7n]) };
    expect(evaluateNode({ op: 'ConstantOfShape', attributes }, [int64(3)])).toEqual(int64(7, 7, 7));
  });

  it('refuses negative extents', () => {
    expect(() => evaluateNode({ op: 'ConstantOfShape' }, [int64(-1)])).toThrow(/negative/);
  });
});

describe('Range', () => {
  const range = (type: TensorType, values: readonly number[]): Tensor => {
    const scalar = (value: number): Tensor =>
      new Tensor(type, type === 'int64' ? [BigInt(value)] : [value], []);
    return evaluateNode({ op: 'Range' }, values.map(scalar));
  };

  it.each([
    [
      [0, 5, 2],
      [0, 2, 4],
    ],
    [
      [0, 6, 2],
      [0, 2, 4],
    ],
    [
      [10, 4, -2],
      [10, 8, 6],
    ],
    [
      [10, 3, -2],
      [10, 8, 6, 4],
    ],
    [[5, 5, 1], []],
    [[5, 0, 1], []],
    [
      [-3, 1, 3],
      [-3, 0],
    ],
  ])('%j is %j in every type', (values, expected) => {
    expect(range('int64', values)).toEqual(new Tensor('int64', expected.map(BigInt)));
    expect(range('int32', values)).toEqual(new Tensor('int32', expected));
    expect(range('float32', values)).toEqual(new Tensor('float32', expected));
  });

  it('counts in fractions', () => {
    expect(range('float32', [1, 2, 0.25]).data).toEqual(new Float32Array([1, 1.25, 1.5, 1.75]));
  });

  it('refuses a step of 0', () => {
    expect(() => range('int64', [0, 1, 0])).toThrow(/Range "node".*delta not 0/);
    expect(() => range('float32', [0, 1, 0])).toThrow(/Range "node".*delta not 0/);
  });
});

describe('NonZero', () => {
  it('lists coordinates, one row an axis', () => {
    const src = new Tensor('float32', [1, 0, Number.NaN, 0, -0, 2], [2, 3]);
    expect(evaluateNode({ op: 'NonZero' }, [src])).toEqual(
      new Tensor('int64', [0n, 0n, 1n, 0n, 2n, 2n], [2, 3]),
    );
  });

  it('takes both zeros of a half for zero', () => {
    const src = new Tensor('float16', [0, 0x8000, 1]);
    expect(evaluateNode({ op: 'NonZero' }, [src])).toEqual(new Tensor('int64', [2n], [1, 1]));
  });
});
