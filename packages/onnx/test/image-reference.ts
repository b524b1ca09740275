/** Pictures as the input of a network in float64: plain loops over triangle weights, importing nothing of the kernel. */
import { seededRandom } from '@onegpu/testing';
import type { ImageBytes, ImageInputOptions } from '../src/image/index.ts';

/** A picture of seeded bytes, alpha included. */
export function randomPicture(width: number, height: number, seed: number): ImageBytes {
  const random = seededRandom(seed);
  const data = Uint8ClampedArray.from({ length: 4 * width * height }, () => Math.floor(random() * 256));
  return { data, width, height };
}

/** [channels, height, width] of one picture. */
export function referenceInput(source: ImageBytes, options: ImageInputOptions): Float64Array {
  const { height = source.height, width = source.width, order = 'rgb', filter = 'antialias' } = options;
  const channels = order === 'gray' ? 1 : 3;
  const values = (given: number | readonly number[] = 0): readonly number[] =>
    typeof given === 'number' ? new Array<number>(channels).fill(given) : given;
  const [mean, std, padding] = [values(options.mean), values(options.std ?? 1), values(options.padding)];
  const scale = Math.min(width / source.width, height / source.height);
  const isContained = options.fit === 'contain';
  const innerWidth = isContained ? Math.round(source.width * scale) : width;
  const innerHeight = isContained ? Math.round(source.height * scale) : height;
  const left = Math.floor((width - innerWidth) / 2);
  const top = Math.floor((height - innerHeight) / 2);
  const columns = triangleTaps(source.width, innerWidth, filter);
  const rows = triangleTaps(source.height, innerHeight, filter);
  const result = new Float64Array(channels * height * width);
  for (let c = 0; c < channels; c++) {
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        let value = padding[c] ?? 0;
        const isInside = x >= left && x < left + innerWidth && y >= top && y < top + innerHeight;
        if (isInside) {
          value = 0;
          for (const [row, rowWeight] of rows[y - top] ?? [])
            for (const [column, weight] of columns[x - left] ?? [])
              value += rowWeight * weight * channelOf(source, { row, column, channel: c, order });
        }
        result[(c * height + y) * width + x] = (value / 255 - (mean[c] ?? 0)) / (std[c] ?? 1);
      }
    }
  }
  return result;
}

type Order = NonNullable<ImageInputOptions['order']>;

function channelOf(
  { data, width }: ImageBytes,
  at: { readonly row: number; readonly column: number; readonly channel: number; readonly order: Order },
): number {
  const first = 4 * (at.row * width + at.column);
  const [red = 0, green = 0, blue = 0] = data.subarray(first, first + 3);
  if (at.order === 'gray') return 0.299 * red + 0.587 * green + 0.114 * blue;
  const channels = at.order === 'rgb' ? [red, green, blue] : [blue, green, red];
  return channels[at.channel] ?? 0;
}

/** Pixels and weights, which add up to 1, of each output along an axis. */
function triangleTaps(src: number, dst: number, filter: 'antialias' | 'bilinear'): [number, number][][] {
  const step = src / dst;
  const reach = filter === 'antialias' ? Math.max(step, 1) : 1;
  return Array.from({ length: dst }, (_, x) => {
    const centre = (x + 0.5) * step;
    const taps: [number, number][] = [];
    for (let pixel = 0; pixel < src; pixel++) {
      const weight = 1 - Math.abs(pixel + 0.5 - centre) / reach;
      if (weight > 0) taps.push([pixel, weight]);
    }
    const sum = taps.reduce((total, [, weight]) => total + weight, 0);
    return taps.map(([pixel, weight]) => [pixel, weight / sum]);
  });
}
