/** The picture with its boxes drawn over it, as PNG: each box outlined, its first corner marked by a dot. */
import type { Picture, PictureSize, TextBox } from '@onegpu/vision';
import { pictureToPng } from '../image.ts';

const COLOURS = ['#e6194b', '#0a7d33', '#1f4fd8', '#c2410c', '#7e22ce', '#0e7490'];

/** PNG bytes of the picture with the boxes outlined. */
export async function annotatePicture(picture: Picture, boxes: readonly TextBox[]): Promise<Uint8Array> {
  return pictureToPng(picture, boxesToSvg(picture, boxes));
}

/** An SVG drawing of the boxes, as large as the picture; it holds no text, so it needs no fonts. */
export function boxesToSvg({ width, height }: PictureSize, boxes: readonly TextBox[]): string {
  const stroke = Math.max(2, Math.round(Math.max(width, height) / 400));
  const shapes = boxes.map(({ corners }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const points = corners.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(' ');
    const [x, y] = corners[0];
    return (
      `<polygon points="${points}" fill="${colour}" fill-opacity="0.12" stroke="${colour}" stroke-width="${stroke}"/>` +
      `<circle cx="${x.toFixed(2)}" cy="${y.toFixed(2)}" r="${stroke * 2}" fill="${colour}"/>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes.join('')}</svg>`;
}
