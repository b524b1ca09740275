/**
 * Pictures as feeds: resized, normalised and laid out on the GPU by one dispatch in front of the model's own.
 *
 *   const { output } = await session.run({ input: imageInput(bitmap, { height: 224, width: 224, mean, std }) });
 */
import { type GpuBuffer, type GpuDevice, InvalidInputError } from '@onegpu/core';
import {
  type ChannelOrder,
  channelCount,
  type ImageExtents,
  type ImageFilter,
  type ImageFit,
  type ImageProblem,
  MOST_IMAGE_EXTENT,
  placeImage,
} from '@onegpu/kernels/core';
import { checkOptions, describe } from '../describe.ts';
import { type FeedStage, GpuFeed } from '../gpu-feed.ts';
import { extentsOf, type ImageSource } from './image-source.ts';
import { ImageStage, type StageRequest } from './image-stage.ts';

export interface ImageInputOptions {
  /** Extents that the model is fed, in pixels, 1 to 16384; by default those of the source. */
  readonly height?: number;
  readonly width?: number;
  /**
   * A channel is (byte / 255 - mean) / std: one number, or one a channel in the order that the model is fed. Default 0
   * and 1, which gives 0 to 1.
   */
  readonly mean?: number | readonly number[];
  readonly std?: number | readonly number[];
  /** `gray`: one channel, 0.299 R + 0.587 G + 0.114 B. Default `rgb`. */
  readonly order?: ChannelOrder;
  /** `contain` keeps proportions and puts the picture into the middle. Default `stretch`. */
  readonly fit?: ImageFit;
  /** Bytes around a contained picture, 0 to 255: one number, or one a channel, normalised as the picture is. Default 0. */
  readonly padding?: number | readonly number[];
  /**
   * How a picture shrinks: `antialias` averages all the pixels behind an output, weighted by a triangle, as Pillow and
   * torchvision do; `bilinear` takes two neighbours along each axis, as OpenCV's INTER_LINEAR does. They are the same
   * where it grows. Default `antialias`.
   */
  readonly filter?: ImageFilter;
}

type Resolved = Omit<ImageProblem, 'pictures'> & { readonly fit: ImageFit };

/**
 * A feed for a float32 input [1, 3, height, width], [1, 1, height, width] for gray; alpha is ignored. The source is
 * read when the run reads its feeds: leave it open and unchanged until `run` resolves, or `runMany` asks for the next.
 * Several of equal extents in an array are a batch [n, 3, height, width].
 * @throws InvalidInputError for a source that holds no picture, and options that are none
 */
export function imageInput(source: ImageSource, options: ImageInputOptions = {}): ImageInput {
  return new ImageInput([source], resolve(extentsOf(source), options));
}

/** One picture or more on their way into a model; made by `imageInput`. */
export class ImageInput extends GpuFeed {
  readonly type = 'float32';
  readonly dims: readonly number[];
  readonly #sources: readonly ImageSource[];
  readonly #options: Resolved;

  constructor(sources: readonly ImageSource[], options: Resolved) {
    super();
    this.#sources = sources;
    this.#options = options;
    this.dims = [sources.length, channelCount(options.order), options.height, options.width];
  }

  override batch(feeds: readonly unknown[]): ImageInput {
    const sources = feeds.flatMap((feed, index) => {
      if (feed instanceof ImageInput && JSON.stringify(feed.#options) === JSON.stringify(this.#options))
        return feed.#sources;
      throw new InvalidInputError('the pictures of a batch differ in more than their source', {
        subject: 'imageInput',
        field: `batch[${index}]`,
        got: feed instanceof ImageInput ? JSON.stringify(feed.#options) : typeof feed,
        expected: JSON.stringify(this.#options),
      });
    });
    return new ImageInput(sources, this.#options);
  }

  override async stage(device: GpuDevice, kept: FeedStage | undefined): Promise<ImageStage> {
    const needed = roomFor(this.#sources.map(extentsOf));
    const request = kept instanceof ImageStage ? kept.roomWith(needed) : needed;
    if (kept instanceof ImageStage && kept.has(request)) return kept;
    kept?.destroy();
    return ImageStage.create(device, request);
  }

  override encode(stage: ImageStage, encoder: GPUCommandEncoder, input: GpuBuffer): void {
    const { fit, ...options } = this.#options;
    const extents = this.#sources.map(extentsOf);
    if (!stage.holds(roomFor(extents))) {
      throw new InvalidInputError('the source grew while the run was being prepared', {
        subject: 'imageInput',
        field: 'source',
        got: extents.map(({ width, height }) => `${width} x ${height}`).join(', '),
      });
    }
    const pictures = extents.map((src) => placeImage(src, options, fit));
    stage.encode(encoder, input, { sources: this.#sources, problem: { ...options, pictures } });
  }
}

function roomFor(pictures: readonly ImageExtents[]): StageRequest {
  return {
    width: Math.max(...pictures.map(({ width }) => width)),
    height: Math.max(...pictures.map(({ height }) => height)),
    layers: pictures.length,
  };
}

const OPTIONS = [
  'height',
  'width',
  'mean',
  'std',
  'order',
  'fit',
  'padding',
  'filter',
] as const satisfies readonly (keyof ImageInputOptions)[];

function resolve(source: ImageExtents, options: ImageInputOptions): Resolved {
  checkOptions('imageInput', options, OPTIONS);
  const { order = 'rgb', fit = 'stretch', filter = 'antialias' } = options;
  checkChoice('order', order, ['rgb', 'bgr', 'gray']);
  checkChoice('fit', fit, ['stretch', 'contain']);
  checkChoice('filter', filter, ['antialias', 'bilinear']);
  const perChannel = (field: 'mean' | 'std' | 'padding', otherwise: number): readonly number[] =>
    channelValues(field, options[field] ?? otherwise, channelCount(order));
  const mean = perChannel('mean', 0);
  const std = perChannel('std', 1);
  checkRange(mean, std);
  return {
    height: checkExtent('height', options.height ?? source.height),
    width: checkExtent('width', options.width ?? source.width),
    ...{ mean, std },
    padding: perChannel('padding', 0),
    ...{ order, fit, filter },
  };
}

function checkChoice(field: string, got: string, choices: readonly string[]): void {
  if (!choices.includes(got)) throw wrongOption(field, got, choices.join(', '));
}

function checkExtent(field: string, pixels: number): number {
  if (Number.isSafeInteger(pixels) && pixels >= 1 && pixels <= MOST_IMAGE_EXTENT) return pixels;
  throw wrongOption(field, pixels, `a whole number from 1 to ${MOST_IMAGE_EXTENT}`);
}

function channelValues(
  field: 'mean' | 'std' | 'padding',
  given: number | readonly number[],
  channels: number,
): readonly number[] {
  const values = typeof given === 'number' ? new Array<number>(channels).fill(given) : given;
  const isValid = (value: unknown): boolean =>
    Number.isFinite(value) &&
    (field !== 'std' || value !== 0) &&
    (field !== 'padding' || (Number(value) >= 0 && Number(value) <= 255));
  if (Array.isArray(values) && values.length === channels && values.every(isValid)) return [...values];
  const kind = { mean: 'finite', std: 'finite and not 0', padding: 'from 0 to 255' }[field];
  throw wrongOption(field, given, `a number or ${channels}, ${kind}`);
}

/** Black and white, which all others lie between, are numbers of the model's float32. */
function checkRange(mean: readonly number[], std: readonly number[]): void {
  const isWritten = (level: number): boolean =>
    std.every((each, channel) => Number.isFinite(Math.fround((level - (mean[channel] ?? 0)) / each)));
  if (isWritten(0) && isWritten(1) && isWritten(-1)) return;
  const expected = 'values of (byte / 255 - mean) / std that float32 holds';
  throw wrongOption('std', std, `${expected}, with mean ${describe(mean)}`);
}

function wrongOption(field: string, got: unknown, expected: string): InvalidInputError {
  const text = typeof got === 'string' ? got : describe(got);
  return new InvalidInputError('the option is none', { subject: 'imageInput', field, got: text, expected });
}
