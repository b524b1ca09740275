/** Pictures from files and addresses, decoded by the browser. */
import { InvalidInputError } from '@onegpu/core';
import type { ImageSource } from './prepare-image.ts';

/** Larger photographs are scaled down, in pixels: every adapter has textures of this size. */
const LONGEST_SIDE = 4096;

export interface PictureChoice {
  readonly title: string;
  readonly source: URL | File;
}

/** Upright by its EXIF orientation, transparency over white. @throws InvalidInputError for what is no picture */
export async function readPicture({ title, source }: PictureChoice): Promise<ImageSource> {
  try {
    const blob = source instanceof URL ? await fetchBlob(source) : source;
    const image = overWhite(await createImageBitmap(blob, { colorSpaceConversion: 'none' }));
    return { image, width: image.width, height: image.height };
  } catch (cause) {
    throw new InvalidInputError(
      'the picture cannot be read',
      {
        subject: title,
        got: reasonOf(cause),
        expected: 'a PNG, JPEG, WebP, GIF or AVIF file',
      },
      { cause },
    );
  }
}

/** A browser says of what is no picture that it could not be decoded, in a sentence of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof DOMException) return 'something else';
  return cause instanceof Error ? cause.message : String(cause);
}

async function fetchBlob(address: URL): Promise<Blob> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.blob();
}

function overWhite(image: ImageBitmap): ImageBitmap {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(image.width, image.height));
  const width = Math.max(1, Math.round(image.width * scale));
  const height = Math.max(1, Math.round(image.height * scale));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error(`no canvas of ${width} x ${height}`);
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, width, height);
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, width, height);
  image.close();
  return canvas.transferToImageBitmap();
}
