/** Pictures in and out through sharp (https://sharp.pixelplumbing.com): 8-bit RGB in memory, any common file outside. */
import { existsSync } from 'node:fs';
import { InvalidInputError } from '@onegpu/core';
import type { Picture, PictureSize } from '@onegpu/vision';
import sharp, { type Sharp } from 'sharp';

/**
 * Reads a picture file or its bytes: turned upright by its EXIF orientation, transparency over white, sRGB.
 * @throws InvalidInputError when the file is missing or holds no picture that can be read.
 */
export async function readPicture(source: string | Uint8Array): Promise<Picture> {
  try {
    const { data, info } = await sharp(source)
      .rotate()
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .removeAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, data: info.channels === 1 ? spreadGrey(data) : data };
  } catch (error) {
    const isMissing = typeof source === 'string' && !existsSync(source);
    throw new InvalidInputError(
      'the picture cannot be read',
      {
        subject: typeof source === 'string' ? source : 'picture',
        got: isMissing ? 'no such file' : error instanceof Error ? error.message : String(error),
        expected: 'a PNG, JPEG, WebP, TIFF, GIF, AVIF or SVG file',
      },
      { cause: error },
    );
  }
}

function spreadGrey(data: Uint8Array): Uint8Array {
  const rgb = new Uint8Array(data.length * 3);
  data.forEach((value, pixel) => {
    rgb.fill(value, pixel * 3, pixel * 3 + 3);
  });
  return rgb;
}

function toSharp(picture: Picture): Sharp {
  return sharp(picture.data, { raw: { width: picture.width, height: picture.height, channels: 3 } });
}

/** Scales a picture to exactly `size`, sides independently, with a linear kernel. */
export async function resizePicture(picture: Picture, size: PictureSize): Promise<Picture> {
  if (size.width === picture.width && size.height === picture.height) return picture;
  const data = await toSharp(picture)
    .resize(size.width, size.height, { fit: 'fill', kernel: 'linear' })
    .raw()
    .toBuffer();
  return { width: size.width, height: size.height, data };
}

/** Scales a picture to cover `size` and cuts out the middle, keeping its proportions. */
export async function coverPicture(picture: Picture, size: PictureSize): Promise<Picture> {
  const data = await toSharp(picture)
    .resize(size.width, size.height, { fit: 'cover', position: 'centre', kernel: 'linear' })
    .raw()
    .toBuffer();
  return { width: size.width, height: size.height, data };
}

/** The picture as PNG bytes, with an SVG drawing of the same size laid over it. */
export async function pictureToPng(picture: Picture, overlay: string): Promise<Uint8Array> {
  return toSharp(picture)
    .composite([{ input: Buffer.from(overlay), left: 0, top: 0 }])
    .png()
    .toBuffer();
}
