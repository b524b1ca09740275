/** Element-wise, logic and cast operators on the host: types, wrapping, broadcasting, defaults of the opsets. */
import { describe, expect, it } from 'vitest';
import { evaluateNode } from '../../test/evaluate-node.ts';
import { Tensor, type TensorType } from '../tensor.ts';

const float = (...values: number[]): Tensor => new Tensor('float32', values);
const int64 = (...values: number[]): Tensor => new Tensor('int64', values.map(BigInt));
const bool = (...values: number[]): Tensor => new Tensor('bool', values);
const of = (type: TensorType, ...values: number[]): Tensor => new Tensor(type, values);

describe('arithmetic', () => {
  it.each([
    ['Add', [5, -3], [2, 7], [7, 4]],
    ['Sub', [5, -3], [2, 7], [3, -10]],
    ['Mul', [5, -3], [2, 7], [10, -21]],
    ['Div', [7, -7], [2, 2], [3, -3]],
    ['Pow', [2, -3], [5, 3], [32, -27]],
    ['Mod', [7, -7], [-3, 3], [-2, 2]],
    ['Min', [5, -3], [2, 7], [2, -3]],
    ['Max', [5, -3], [2, 7], [5, 7]],
    ['Sum', [5, -3], [2, 7], [7, 4]],
  ])('%s of integers', (op, lhs, rhs, expected) => {
    expect(evaluateNode({ op }, [int64(...lhs), int64(...rhs)])).toEqual(int64(...expected));
  });

  it('keeps 64-bit integers exact and wraps narrower ones', () => {
    const large = new Tensor('int64', [2n ** 62n, -(2n ** 63n)]);
    expect(evaluateNode({ op: 'Add' }, [large, int64(1, -1)]).data).toEqual(
      BigInt64Array.of(2n ** 62n + 1n, 2n ** 63n - 1n),
    );
    expect(evaluateNode({ op: 'Mul' }, [of('int32', 65537), of('int32', 65537)])).toEqual(
      of('int32', 131073),
    );
    expect(evaluateNode({ op: 'Add' }, [of('uint8', 250), of('uint8', 10)])).toEqual(of('uint8', 4));
    expect(evaluateNode({ op: 'Sub' }, [of('uint8', 1), of('uint8', 2)])).toEqual(of('uint8', 255));
  });

  it('broadcasts both ways', () => {
    const column = new Tensor('float32', [1, 2], [2, 1]);
    expect(evaluateNode({ op: 'Mul' }, [column, float(1, 10, 100)])).toEqual(
      new Tensor('float32', [1, 10, 100, 2, 20, 200], [2, 3]),
    );
    expect(() => evaluateNode({ op: 'Add' }, [float(1, 2), float(1, 2, 3)])).toThrow(/broadcast/);
  });

  it('takes any number of operands where ONNX does', () => {
    expect(evaluateNode({ op: 'Mean' }, [float(1, 2), float(3, 4), float(8, 0)])).toEqual(float(4, 2));
    expect(evaluateNode({ op: 'Max' }, [float(1, 5)])).toEqual(float(1, 5));
    expect(evaluateNode({ op: 'Sum' }, [int64(1), int64(2), int64(3)])).toEqual(int64(6));
  });

  it('has both remainders', () => {
    const [x, y] = [float(5.5, -5.5), float(2, 2)];
    expect(evaluateNode({ op: 'Mod', attributes: { fmod: 1 } }, [x, y])).toEqual(float(1.5, -1.5));
    expect(evaluateNode({ op: 'Mod' }, [x, y])).toEqual(float(1.5, 0.5));
  });

  it('refuses a slope that would widen its data', () => {
    expect(() => evaluateNode({ op: 'PRelu' }, [float(1), float(1, 2)])).toThrow(/slope/);
  });
});

describe('unary', () => {
  it.each([
    ['Relu', {}, [-1, 2], [0, 2]],
    ['LeakyRelu', { alpha: 0.5 }, [-2, 2], [-1, 2]],
    ['HardSwish', {}, [-4, 3], [-0, 3]],
    ['Round', {}, [0.5, 1.5], [0, 2]],
    ['Shrink', { lambd: { float: 1 }, bias: 0.5 }, [-2, 0.5], [-1.5, 0]],
    ['Abs', {}, [-2, 2], [2, 2]],
  ] as const)('%s', (op, attributes, src, expected) => {
    expect(evaluateNode({ op, attributes }, [float(...src)], 20)).toEqual(float(...expected));
  });

  it('rounds float16 results to float16', () => {
    const third = evaluateNode({ op: 'Reciprocal' }, [new Tensor('float16', Uint16Array.of(0x4200))]);
    expect(third.data).toEqual(Uint16Array.of(0x3555));
  });

  it('takes the bounds of Clip from attributes or inputs, either one absent', () => {
    const src = float(-3, 0, 9);
    const attributes = { min: { float: -1 }, max: { float: 6 } };
    expect(evaluateNode({ op: 'Clip', attributes }, [src], 10)).toEqual(float(-1, 0, 6));
    const six = new Tensor('float32', [6], []);
    expect(evaluateNode({ op: 'Clip' }, [src, undefined, six])).toEqual(float(-3, 0, 6));
    const zero = new Tensor('int64', [0n], []);
    expect(evaluateNode({ op: 'Clip' }, [int64(-3, 4), zero])).toEqual(int64(0, 4));
  });

  it('has no meaning for integers where it would need fractions', () => {
    expect(() => evaluateNode({ op: 'Exp' }, [int64(1)])).toThrow(/no meaning/);
  });
});

describe('logic', () => {
  it('compares, with NaN unequal to itself', () => {
    const [x, y] = [float(1, 2, Number.NaN), float(1, 3, Number.NaN)];
    expect(evaluateNode({ op: 'Equal' }, [x, y])).toEqual(bool(1, 0, 0));
    expect(evaluateNode({ op: 'Less' }, [x, y])).toEqual(bool(0, 1, 0));
    expect(evaluateNode({ op: 'GreaterOrEqual' }, [int64(1, 3), int64(2)])).toEqual(bool(0, 1));
  });

  it('combines and negates', () => {
    expect(evaluateNode({ op: 'And' }, [bool(1, 0), bool(1, 1)])).toEqual(bool(1, 0));
    expect(evaluateNode({ op: 'Xor' }, [bool(1, 0), bool(1, 1)])).toEqual(bool(0, 1));
    expect(evaluateNode({ op: 'Not' }, [bool(1, 0)])).toEqual(bool(0, 1));
  });

  it('chooses with three-way broadcasting', () => {
    const condition = new Tensor('bool', [1, 0], [2, 1]);
    const chosen = evaluateNode({ op: 'Where' }, [condition, int64(1, 2), int64(-1)]);
    expect(chosen).toEqual(new Tensor('int64', [1n, 2n, -1n, -1n], [2, 2]));
  });

  it('finds special values', () => {
    const src = float(1, Number.NaN, Number.NEGATIVE_INFINITY);
    expect(evaluateNode({ op: 'IsNaN' }, [src])).toEqual(bool(0, 1, 0));
    const attributes = { detect_negative: 0 };
    expect(evaluateNode({ op: 'IsInf', attributes }, [src])).toEqual(bool(0, 0, 0));
  });
});

describe('Cast', () => {
  const cast = (src: Tensor, to: number): Tensor => evaluateNode({ op: 'Cast', attributes: { to } }, [src]);

  it('cuts fractions off and wraps', () => {
    expect(cast(float(1.9, -1.9, 2 ** 31), 6)).toEqual(of('int32', 1, -1, -(2 ** 31)));
    expect(cast(float(300, -1), 2)).toEqual(of('uint8', 44, 255));
    expect(cast(float(0, -0.5), 9)).toEqual(bool(0, 1));
  });

  it('goes through 64 bits without loss', () => {
    expect(cast(new Tensor('int64', [2n ** 53n + 1n]), 13)).toEqual(new Tensor('uint64', [2n ** 53n + 1n]));
  });

  it('reads and writes float16', () => {
    expect(cast(float(1.5, 65520), 10)).toEqual(new Tensor('float16', Uint16Array.of(0x3e00, 0x7c00)));
    expect(cast(new Tensor('float16', Uint16Array.of(0x3e00)), 1)).toEqual(float(1.5));
  });

  it('refuses strings', () => {
    expect(() => cast(float(1), 8)).toThrow(/string/);
  });
});
