import { GpuKernelShapeError } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import { liftTo2d, slidingWindows, transposedWindows } from './conv-geometry.ts';

const extents = (axes: readonly { padBegin: number; padEnd: number; output: number }[]): number[][] =>
  axes.map((axis) => [axis.padBegin, axis.padEnd, axis.output]);

describe('slidingWindows', () => {
  it('takes explicit asymmetric pads: begins first, then ends', () => {
    const axes = slidingWindows('Conv', [7, 11], { kernel: [3, 2], pads: [1, 0, 2, 1], strides: [2, 3] });
    expect(extents(axes)).toEqual([
      [1, 2, 4],
      [0, 1, 4],
    ]);
  });

  it('puts the odd element of SAME at the end for UPPER, at the begin for LOWER', () => {
    const upper = slidingWindows('Conv', [8], { kernel: [3], strides: [2], autoPad: 'SAME_UPPER' });
    const lower = slidingWindows('Conv', [8], { kernel: [3], strides: [2], autoPad: 'SAME_LOWER' });
    expect(extents([...upper, ...lower])).toEqual([
      [0, 1, 4],
      [1, 0, 4],
    ]);
  });

  it('counts dilation in SAME and VALID', () => {
    const same = slidingWindows('Conv', [9], { kernel: [3], dilations: [2], autoPad: 'SAME_UPPER' });
    const valid = slidingWindows('Conv', [9], { kernel: [3], dilations: [2], autoPad: 'VALID' });
    expect(extents([...same, ...valid])).toEqual([
      [2, 2, 9],
      [0, 0, 5],
    ]);
  });

  it('rounds up with ceil_mode, but drops a window that starts in the end padding', () => {
    const partial = slidingWindows('MaxPool', [4], { kernel: [3], strides: [2], ceilMode: true });
    const outside = slidingWindows('MaxPool', [2], {
      kernel: [1],
      strides: [2],
      pads: [0, 1],
      ceilMode: true,
    });
    expect(extents([...partial, ...outside])).toEqual([
      [0, 0, 2],
      [0, 1, 1],
    ]);
  });

  it('lets empty inputs through and refuses a window larger than the padded input', () => {
    expect(slidingWindows('Conv', [0], { kernel: [3] })[0]?.output).toBe(0);
    expect(() => slidingWindows('Conv', [2], { kernel: [4], pads: [1, 0] })).toThrow(GpuKernelShapeError);
  });

  it('refuses wrong lengths, ranges and contradictions by name', () => {
    expect(() => slidingWindows('Conv', [5, 5], { kernel: [3] })).toThrow('Conv.kernel_shape');
    expect(() => slidingWindows('Conv', [5], { kernel: [3], strides: [0] })).toThrow('Conv.strides');
    expect(() => slidingWindows('Conv', [5], { kernel: [3], pads: [-1, 0] })).toThrow('Conv.pads');
    expect(() => slidingWindows('Conv', [5], { kernel: [3], autoPad: 'SAME' })).toThrow('Conv.auto_pad');
    expect(() => slidingWindows('Conv', [5], { kernel: [3], autoPad: 'VALID', pads: [1, 1] })).toThrow(
      'Conv.pads',
    );
  });
});

describe('transposedWindows', () => {
  it('applies pads and output_padding', () => {
    const axes = transposedWindows('ConvTranspose', [3], {
      kernel: [3],
      strides: [2],
      pads: [1, 1],
      outputPadding: [1],
    });
    expect(extents(axes)).toEqual([[1, 0, 6]]);
  });

  it('derives pads from output_shape, the larger half first unless SAME_UPPER', () => {
    const request = { kernel: [4], strides: [2], outputShape: [5] };
    const notset = transposedWindows('ConvTranspose', [3], request);
    const upper = transposedWindows('ConvTranspose', [3], { ...request, autoPad: 'SAME_UPPER' });
    expect(extents([...notset, ...upper])).toEqual([
      [2, 1, 5],
      [1, 2, 5],
    ]);
  });

  it('lets output_shape exceed what the taps reach', () => {
    const axes = transposedWindows('ConvTranspose', [3], { kernel: [3], strides: [3], outputShape: [10] });
    expect(extents(axes)).toEqual([[0, -1, 10]]);
  });

  it('makes SAME outputs input times stride', () => {
    const lower = transposedWindows('ConvTranspose', [3], {
      kernel: [3],
      strides: [2],
      autoPad: 'SAME_LOWER',
    });
    expect(extents(lower)).toEqual([[1, 0, 6]]);
  });
});

describe('liftTo2d', () => {
  it('puts one axis behind a height of 1 and refuses three', () => {
    const axes = slidingWindows('Conv', [5], { kernel: [3] });
    expect(liftTo2d('Conv', axes).map((axis) => axis.output)).toEqual([1, 3]);
    expect(() => liftTo2d('Conv', [...axes, ...axes, ...axes])).toThrow(GpuKernelShapeError);
  });
});
