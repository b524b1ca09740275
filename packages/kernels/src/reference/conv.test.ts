/** The reference convolution against its own sum of taps, on shapes that leave tails in every loop. */
import { expectWithin, randomFill, sumTolerance } from '@onegpu/testing';
import { expect, it } from 'vitest';
import { convTerms, makeConvProblem } from '../conv/problem.ts';
import { PLAIN_EPILOGUE } from '../shared/epilogue.ts';
import { type ConvOperands, referenceConv, sumTaps } from './conv.ts';

it.each([
  { src: [2, 6, 7, 5], weights: [9, 2, 3, 2], groups: 3, strides: [2, 1], pads: [1, 2, 0, 1] },
  { src: [1, 3, 11, 13], weights: [5, 3, 3, 3], groups: 1, dilations: [2, 3], pads: [1, 1, 1, 1] },
  { src: [1, 5, 7, 7], weights: [5, 1, 3, 3], groups: 5, pads: [1, 1, 1, 1] },
  { src: [1, 2100, 1, 3], weights: [3, 2100, 1, 1], groups: 1 },
])('$src with $weights', (shape) => {
  const form = { layout: 'nchw', epilogue: PLAIN_EPILOGUE, weightsConstant: true } as const;
  const problem = makeConvProblem({
    autoPad: 'NOTSET',
    pads: undefined,
    strides: undefined,
    dilations: undefined,
    ...shape,
    ...form,
  });
  const { batch, ic, ih, iw, oc, oh, ow } = problem;
  const operands: ConvOperands = {
    src: randomFill(batch * ic * ih * iw, 1),
    weights: randomFill(oc * convTerms(problem), 2),
  };
  const dst = referenceConv(problem, operands);
  expect(dst).toHaveLength(batch * oc * oh * ow);
  const expected = dst.map((_, index) => {
    const [x, y] = [index % ow, Math.floor(index / ow) % oh];
    const [o, n] = [Math.floor(index / (oh * ow)) % oc, Math.floor(index / (oh * ow * oc))];
    return sumTaps(problem, operands, { n, o, y, x });
  });
  // Both sums are float64: 2^-29 of what float32 sums may differ by.
  expectWithin(dst, expected, sumTolerance({ terms: convTerms(problem) }) * 2 ** -29, [dst.length]);
});
