/** What a Tensor refuses to be, always with one typed error. */
import { InvalidInputError } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import { Tensor, type TensorType } from './tensor.ts';

const REFUSALS: readonly (readonly [string, () => Tensor, RegExp])[] = [
  ['an unknown type', () => new Tensor('float' as TensorType, [1]), /Tensor\.type.*got float/],
  ['fewer elements than dims', () => new Tensor('float32', [1, 2], [3]), /got 2 elements, expected 3/],
  ['a negative extent', () => new Tensor('float32', [1], [-1]), /dims.*\[-1\]/],
  ['half an extent', () => new Tensor('float32', [1], [1.5]), /dims.*\[1\.5\]/],
  [
    'another array class',
    () => new Tensor('float32', new Int32Array(2) as never),
    /Int32Array.*Float32Array/,
  ],
  [
    'no data',
    () => new Tensor('float32', null as never, [1]),
    /Tensor\.data.*got Null, expected Float32Array/,
  ],
  [
    'a view that is no array',
    () => new Tensor('int8', new DataView(new ArrayBuffer(1)) as never),
    /DataView/,
  ],
  ['a text as texts', () => new Tensor('string', 'ab' as never), /got String, expected an array of texts/],
  ['numbers as texts', () => new Tensor('string', [1] as never), /an array of texts/],
  ['dims that are no list', () => new Tensor('float32', [1], 1 as never), /dims.*got Number/],
  ['fractions as int64', () => new Tensor('int64', [1.5]), /Tensor\.data.*expected int64/],
  ['bigints as float32', () => new Tensor('float32', [1n] as never), /Tensor\.data.*expected float32/],
];

describe('Tensor', () => {
  it.each(REFUSALS)('refuses %s', (_, make, message) => {
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });

  it('takes integers as int64, and empty tensors', () => {
    expect(new Tensor('int64', [1n, -2n]).data).toEqual(new BigInt64Array([1n, -2n]));
    expect(new Tensor('float32', [], [2, 0]).size).toBe(0);
  });
});
