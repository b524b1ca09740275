/**
 * A picture as the network's input: sides limited and rounded to a multiple of 32, then
 * (byte / 255 - mean) / std in planes, [1, 3, height, width].
 */
import { Tensor } from '@onegpu/onnx';
import type { NormalizeConfig, ResizeConfig } from './config.ts';
import type { Picture, PictureSize } from './picture.ts';

/** Size of the network's input for a picture of `size`; each side is a multiple of `sideMultiple`, at least one. */
export function detectionSize(size: PictureSize, config: ResizeConfig): PictureSize {
  const ratio = limitRatio(size, config);
  const round = (side: number): number =>
    Math.max(
      Math.round(Math.trunc(side * ratio) / config.sideMultiple) * config.sideMultiple,
      config.sideMultiple,
    );
  return { width: round(size.width), height: round(size.height) };
}

function limitRatio({ width, height }: PictureSize, { limitType, limitSideLength }: ResizeConfig): number {
  if (limitType === 'max') return Math.min(1, limitSideLength / Math.max(width, height));
  return Math.max(1, limitSideLength / Math.min(width, height));
}

/** The picture's bytes normalised into planes, float32 [1, 3, height, width]. */
export function normalizePicture(picture: Picture, config: NormalizeConfig): Tensor<'float32'> {
  const { width, height, data } = picture;
  const plane = width * height;
  const values = new Float32Array(3 * plane);
  for (let channel = 0; channel < 3; channel++) {
    const source = config.channelOrder === 'rgb' ? channel : 2 - channel;
    const table = normalizeTable(config.mean[channel] ?? 0, config.std[channel] ?? 1);
    const offset = channel * plane;
    for (let pixel = 0; pixel < plane; pixel++) {
      values[offset + pixel] = table[data[pixel * 3 + source] ?? 0] ?? 0;
    }
  }
  return new Tensor('float32', values, [1, 3, height, width]);
}

/** The normalised value of each of the 256 bytes. */
function normalizeTable(mean: number, std: number): Float32Array {
  return Float32Array.from({ length: 256 }, (_, byte) => (byte / 255 - mean) / std);
}
