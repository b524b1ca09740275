/** Pictures from files and addresses, decoded by the browser. */
import { InvalidInputError } from '@onegpu/core';
import type { ImageSource } from './prepare-image.ts';

export interface PictureChoice {
  readonly title: string;
  readonly source: URL | File;
}

/** Upright by its EXIF orientation. @throws InvalidInputError for what is no picture */
export async function readPicture({ title, source }: PictureChoice): Promise<ImageSource> {
  try {
    const blob = source instanceof URL ? await fetchBlob(source) : source;
    const image = await createImageBitmap(blob, { colorSpaceConversion: 'none' });
    return { image, width: image.width, height: image.height };
  } catch (cause) {
    throw new InvalidInputError(
      'the picture cannot be read',
      {
        subject: title,
        got: cause instanceof Error ? cause.message : String(cause),
        expected: 'a PNG, JPEG, WebP, GIF or AVIF file',
      },
      { cause },
    );
  }
}

async function fetchBlob(address: URL): Promise<Blob> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.blob();
}
