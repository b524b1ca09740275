/**
 * A picture as a network's input, and the one place that knows how: float32 colours are scaled and normalised on the
 * GPU, in front of the model; for other inputs a canvas scales and the CPU normalises.
 */
import { InvalidInputError, numberToHalf } from '@onegpu/core';
import { Tensor } from '@onegpu/onnx';
import { type ImageInput, imageInput } from '@onegpu/onnx/image';
import { type NormalizeConfig, normalizePicture, type Picture, type PictureSize } from '@onegpu/vision';

/** A picture that a canvas can draw, and its size in pixels. */
export interface ImageSource extends PictureSize {
  readonly image: ImageBitmap | HTMLVideoElement | HTMLCanvasElement;
}

export interface ImageSpec {
  /** Extents of the network's input, [1, channels, height, width]. */
  readonly dims: readonly [batch: number, channels: number, height: number, width: number];
  readonly type: 'float32' | 'float16' | 'uint8';
  /** `fill` scales the sides apart, `cover` keeps proportions and cuts the middle out. */
  readonly fit: 'fill' | 'cover';
  readonly normalize: NormalizeConfig;
}

/** The canvas that pictures are drawn to, kept from one to the next. */
let canvas: HTMLCanvasElement | undefined;

/**
 * What a run is fed; the source stays as it is until the run has ended.
 * @throws InvalidInputError for a picture without pixels, or one that the browser does not let the page read
 */
export function prepareImage(source: ImageSource, spec: ImageSpec): Tensor | ImageInput {
  const [, channels, height, width] = spec.dims;
  if (spec.type === 'float32' && channels === 3) {
    const { mean, std, channelOrder: order } = spec.normalize;
    return imageInput(partOf(source, spec), { height, width, mean, std, order });
  }
  return tensorOf(source, spec);
}

/** The part of a picture that the model sees, in its own pixels. */
function partOf(source: ImageSource, { dims, fit }: ImageSpec): ImageSource['image'] {
  const { x, y, width, height } = cutOf(source, { width: dims[3], height: dims[2] }, fit);
  if (width === source.width && height === source.height) return source.image;
  const size = { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) };
  const context = canvasOf(size);
  context.drawImage(source.image, x, y, width, height, 0, 0, size.width, size.height);
  return context.canvas;
}

function tensorOf(source: ImageSource, spec: ImageSpec): Tensor {
  const [, channels, height, width] = spec.dims;
  const picture = readPixels(source, { width, height }, spec.fit);
  const raw = { ...spec.normalize, mean: [0, 0, 0], std: [1 / 255, 1 / 255, 1 / 255] } as const;
  const planes = normalizePicture(picture, spec.type === 'uint8' ? raw : spec.normalize).data;
  const values = channels === 1 ? meanOfPlanes(planes) : planes;
  const dims = [1, channels, height, width];
  if (spec.type === 'float16') return new Tensor('float16', Uint16Array.from(values, numberToHalf), dims);
  if (spec.type === 'uint8') return new Tensor('uint8', Uint8Array.from(values, Math.round), dims);
  return new Tensor('float32', values, dims);
}

function readPixels(source: ImageSource, size: PictureSize, fit: ImageSpec['fit']): Picture {
  if (source.width === 0 || source.height === 0) {
    throw new InvalidInputError('the picture has no pixels', {
      subject: 'picture',
      got: `${source.width} x ${source.height}`,
    });
  }
  const context = canvasOf(size);
  context.imageSmoothingQuality = 'high';
  const { x, y, width, height } = cutOf(source, size, fit);
  context.drawImage(source.image, x, y, width, height, 0, 0, size.width, size.height);
  return { ...size, data: withoutAlpha(context.getImageData(0, 0, size.width, size.height).data) };
}

function canvasOf({ width, height }: PictureSize): CanvasRenderingContext2D {
  canvas ??= document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) {
    throw new InvalidInputError('the browser gives no canvas', {
      subject: 'picture',
      got: `${width} x ${height}`,
    });
  }
  return context;
}

/** The part of the source that is shown. */
export function cutOf(
  source: PictureSize,
  size: PictureSize,
  fit: ImageSpec['fit'],
): PictureSize & { readonly x: number; readonly y: number } {
  if (fit === 'fill') return { x: 0, y: 0, width: source.width, height: source.height };
  const scale = Math.min(source.width / size.width, source.height / size.height);
  const width = size.width * scale;
  const height = size.height * scale;
  return { x: (source.width - width) / 2, y: (source.height - height) / 2, width, height };
}

function withoutAlpha(rgba: Uint8ClampedArray): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    rgb[to] = rgba[from] ?? 0;
    rgb[to + 1] = rgba[from + 1] ?? 0;
    rgb[to + 2] = rgba[from + 2] ?? 0;
  }
  return rgb;
}

function meanOfPlanes(planes: Float32Array): Float32Array {
  const plane = planes.length / 3;
  return Float32Array.from({ length: plane }, (_, pixel) => {
    return ((planes[pixel] ?? 0) + (planes[plane + pixel] ?? 0) + (planes[2 * plane + pixel] ?? 0)) / 3;
  });
}
