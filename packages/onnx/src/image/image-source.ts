/** Where pictures come from: bytes on the host, or what a browser holds of a picture. */

import { InvalidInputError } from '@onegpu/core';
import type { ImageExtents } from '@onegpu/kernels/core';
import { kindOf } from '../describe.ts';

/** RGBA bytes, rows from above, without padding: `ImageData`, or an object of that form. */
export interface ImageBytes {
  readonly data: Uint8ClampedArray | Uint8Array;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** A picture as a browser has it; anything that `copyExternalImageToTexture` takes. */
export type ExternalImage =
  | ImageBitmap
  | VideoFrame
  | HTMLVideoElement
  | HTMLImageElement
  | HTMLCanvasElement
  | OffscreenCanvas;

export type ImageSource = ImageBytes | ExternalImage;

export function isImageBytes(source: ImageSource): source is ImageBytes {
  return 'data' in source;
}

/** Pixels of what is there now; a video or canvas may change. @throws InvalidInputError for nothing, or no picture */
export function extentsOf(source: ImageSource): ImageExtents {
  if (typeof source !== 'object' || source === null) throw noSource(String(source));
  const { width, height } = pixelsOf(source);
  if (!Number.isSafeInteger(width) || !Number.isSafeInteger(height)) throw noSource(kindOf(source));
  if (width === 0 || height === 0) {
    throw new InvalidInputError('the source holds no picture', {
      subject: 'imageInput',
      field: 'source',
      got: `${kindOf(source)} of ${width} x ${height}`,
      remedy: 'It is not loaded yet, or was closed or transferred.',
    });
  }
  if (isImageBytes(source)) checkBytes(source);
  else if (!EXTERNAL_KINDS.includes(kindOf(source))) throw noSource(kindOf(source));
  return { width, height };
}

/** What WebGPU copies pictures from. */
const EXTERNAL_KINDS: readonly string[] = [
  'ImageBitmap',
  'VideoFrame',
  'HTMLVideoElement',
  'HTMLImageElement',
  'HTMLCanvasElement',
  'OffscreenCanvas',
];

function pixelsOf(source: ImageSource): { readonly width: number; readonly height: number } {
  if (isImageBytes(source)) return source;
  if ('displayWidth' in source) return { width: source.displayWidth, height: source.displayHeight };
  if ('videoWidth' in source) return { width: source.videoWidth, height: source.videoHeight };
  if ('naturalWidth' in source) return { width: source.naturalWidth, height: source.naturalHeight };
  return source;
}

function checkBytes({ data, width, height }: ImageBytes): void {
  const isBytes = data instanceof Uint8ClampedArray || data instanceof Uint8Array;
  if (isBytes && data.length === 4 * width * height) return;
  throw new InvalidInputError('the data is not four bytes a pixel', {
    subject: 'imageInput',
    field: 'source.data',
    got: isBytes ? `${data.length} bytes` : kindOf(data),
    expected: `${4 * width * height} bytes of RGBA for ${width} x ${height}`,
  });
}

function noSource(got: string): InvalidInputError {
  return new InvalidInputError('there is no picture to be read', {
    subject: 'imageInput',
    field: 'source',
    got,
    expected:
      'ImageBitmap, ImageData or { data, width, height }, VideoFrame, or an element that shows a picture',
  });
}

/** The error for a source that the browser does not let be read: of another origin, or not decoded yet. */
export function unreadSource(source: ImageSource, cause: unknown): InvalidInputError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new InvalidInputError(
    'the source cannot be read',
    {
      subject: 'imageInput',
      field: 'source',
      got: `${kindOf(source)}: ${message}`,
      remedy:
        'Wait until it shows a picture; one of another origin needs its CORS headers, and `crossOrigin` set.',
    },
    { cause },
  );
}
