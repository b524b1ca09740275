/**
 * Pictures as the input of a network: where each lies in the output, and the parameters of the kernel that resamples,
 * reorders and normalises them (`resample.wgsl.ts`).
 *
 * Along an axis a picture of `src` pixels fills `extent` outputs. With half-pixel centres, output x lies at
 * (2x + 1) src / (2 extent) of the source and pixel t at t + 1/2. In units of 1 / (2 extent) their distance is the integer
 * |(2t + 1) extent - (2x + 1) src|, and the weight of a tap is `reach` less that, where it is positive: integers, so
 * positions and weights are exact. `reach` is 2 extent for interpolation between two neighbours; where a picture
 * shrinks, 2 src widens the triangle to all the pixels that an output covers, which is what antialiasing is in Pillow and
 * torchvision. Weights are divided by their sum, so an edge needs no pixels beyond it.
 */

/** Channels of the result: as in the picture, reversed, or its luma (0.299 R + 0.587 G + 0.114 B, as BT.601 has it). */
export type ChannelOrder = 'rgb' | 'bgr' | 'gray';

/** `stretch`: the picture fills the output. `contain`: it keeps its proportions, in the middle of padding. */
export type ImageFit = 'stretch' | 'contain';

/** `antialias`: a shrinking picture is averaged over all its pixels. `bilinear`: two neighbours along each axis, always. */
export type ImageFilter = 'antialias' | 'bilinear';

/** Pixels. */
export interface ImageExtents {
  readonly width: number;
  readonly height: number;
}

/** What becomes of channel c of a picture of bytes: (byte / 255 - mean[c]) / std[c], in the order of the result. */
export interface ImageNormalization {
  readonly order: ChannelOrder;
  readonly mean: readonly number[];
  readonly std: readonly number[];
  /** Bytes around a contained picture, in the order of the result. */
  readonly padding: readonly number[];
}

export interface ImagePlacement {
  readonly src: ImageExtents;
  /** Left upper corner and extents in the output. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface ImageProblem extends ImageNormalization {
  /** Of the output [pictures, 3 or 1, height, width]. */
  readonly width: number;
  readonly height: number;
  readonly filter: ImageFilter;
  readonly pictures: readonly ImagePlacement[];
}

/** Largest extent of a picture or an output: the distances of taps stay within 31 bits. */
export const MOST_IMAGE_EXTENT = 16384;

/** Pixels of a workgroup along x and y. */
export const IMAGE_TILE = 8;

export function channelCount(order: ChannelOrder): 1 | 3 {
  return order === 'gray' ? 1 : 3;
}

/** Whole pixels: a contained picture is rounded to the nearest, at least one; an odd rest is to the right and below. */
export function placeImage(
  src: ImageExtents,
  { width, height }: ImageExtents,
  fit: ImageFit,
): ImagePlacement {
  if (fit === 'stretch') return { src, x: 0, y: 0, width, height };
  const scale = Math.min(width / src.width, height / src.height);
  const inner = {
    width: Math.min(width, Math.max(1, Math.round(src.width * scale))),
    height: Math.min(height, Math.max(1, Math.round(src.height * scale))),
  };
  return {
    src,
    ...inner,
    x: Math.floor((width - inner.width) / 2),
    y: Math.floor((height - inner.height) / 2),
  };
}

export function imageWorkgroups({ width, height, pictures }: ImageProblem): [number, number, number] {
  return [Math.ceil(width / IMAGE_TILE), Math.ceil(height / IMAGE_TILE), pictures.length];
}

const ORDERS = ['rgb', 'bgr', 'gray'] as const;
/** Luma in thousandths: sums of bytes are whole numbers then. */
const GRAY_UNIT = 1000;
const HEADER_WORDS = 16;
const TABLE_WORDS = 4 * 256;
const PICTURE_WORDS = 8;

/** Bytes of the parameters of so many pictures. */
export function imageParamsBytes(pictures: number): number {
  return 4 * (HEADER_WORDS + TABLE_WORDS + PICTURE_WORDS * pictures);
}

/** The words of `struct Params`. */
export function imageParams(problem: ImageProblem): ArrayBuffer {
  const { width, height, order, mean, std, padding, filter, pictures } = problem;
  const bytes = new ArrayBuffer(imageParamsBytes(pictures.length));
  const words = new Uint32Array(bytes);
  const numbers = new Float32Array(bytes);
  words.set([width, height, channelCount(order), ORDERS.indexOf(order)]);
  const normalized = (byte: number, channel: number): number =>
    (byte / 255 - (mean[channel] ?? 0)) / (std[channel] ?? 1);
  const unit = order === 'gray' ? GRAY_UNIT : 1;
  for (let channel = 0; channel < channelCount(order); channel++) {
    numbers[4 + channel] = 1 / (255 * unit * (std[channel] ?? 1));
    numbers[8 + channel] = normalized(127.5, channel);
    numbers[12 + channel] = normalized(padding[channel] ?? 0, channel);
    for (let byte = 0; byte < 256; byte++)
      numbers[HEADER_WORDS + 4 * byte + channel] = normalized(byte, channel);
  }
  pictures.forEach((picture, index) => {
    const reach = (src: number, extent: number): number =>
      2 * (filter === 'antialias' ? Math.max(src, extent) : extent);
    words.set(
      [
        ...[picture.src.width, picture.src.height, picture.x, picture.y, picture.width, picture.height],
        reach(picture.src.width, picture.width),
        reach(picture.src.height, picture.height),
      ],
      HEADER_WORDS + TABLE_WORDS + PICTURE_WORDS * index,
    );
  });
  return bytes;
}
