/** The probability map among a detection network's outputs. */
import { InvalidModelError } from '@onegpu/core';
import type { Tensor } from '@onegpu/onnx';
import type { PictureSize } from './picture.ts';

/** A probability map, row-major, `width * height` values of 0..1. */
export interface ProbabilityMap extends PictureSize {
  readonly data: Float32Array;
}

/** @throws InvalidModelError for an output of another kind; `name` is said in it. */
export function probabilityMap(output: Tensor | undefined, name: string): ProbabilityMap {
  const [batch, channels, height, width] = output?.dims ?? [];
  if (
    !(output?.data instanceof Float32Array) ||
    output.dims.length !== 4 ||
    batch !== 1 ||
    channels !== 1 ||
    height === undefined ||
    width === undefined
  ) {
    throw new InvalidModelError('the output is no probability map', {
      subject: 'detect',
      field: name,
      got: `${output?.type ?? 'nothing'} [${output?.dims.join(', ') ?? ''}]`,
      expected: 'float32 [1, 1, height, width]',
    });
  }
  return { data: output.data, width, height };
}
