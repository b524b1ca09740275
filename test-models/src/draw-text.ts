/** Lines of text as outlines of two fonts under the OFL, so that no font of the system has a part in a picture. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import opentype from 'opentype.js';
import type { SignLine } from './sign.ts';

/** Where the text is written, in pixels of the picture. */
export interface TextLine {
  readonly text: string;
  readonly font: 'sans' | 'serif';
  /** Pixels per em. */
  readonly size: number;
  /** Start of the baseline. */
  readonly x: number;
  readonly y: number;
  /** Degrees against the horizontal, positive downhill. */
  readonly angle: number;
  readonly colour: string;
  /** Without a shadow. */
  readonly flat?: boolean;
}

const FONTS = {
  sans: '@fontsource/barlow/files/barlow-latin-600-normal.woff',
  serif: '@fontsource/source-serif-4/files/source-serif-4-latin-600-normal.woff',
} as const;

export type Fonts = Readonly<Record<keyof typeof FONTS, opentype.Font>>;

export async function loadFonts(): Promise<Fonts> {
  return { sans: await loadFont(FONTS.sans), serif: await loadFont(FONTS.serif) };
}

async function loadFont(file: string): Promise<opentype.Font> {
  const bytes = await readFile(createRequire(import.meta.url).resolve(file));
  return opentype.parse(Uint8Array.from(bytes).buffer);
}

/** A line as SVG, and where its ink is. */
export function drawText(line: TextLine, fonts: Fonts): { path: string; line: SignLine } {
  const { text, size, x, y, angle, colour, flat = false } = line;
  const outline = fonts[line.font].getPath(text, 0, 0, size);
  const ink = outline.getBoundingBox();
  const margin = size / 10;
  const turned = (u: number, v: number): readonly [number, number] => {
    const radians = (angle * Math.PI) / 180;
    const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
    return [round(x + u * cos - v * sin), round(y + u * sin + v * cos)];
  };
  const [left, right, top, bottom] = [ink.x1 - margin, ink.x2 + margin, ink.y1 - margin, ink.y2 + margin];
  const letters = outline.toPathData(2);
  const shadow = `<path d="${letters}" transform="translate(1.5 2)" fill="#000" fill-opacity="0.25"/>`;
  return {
    path: `<g transform="translate(${x} ${y}) rotate(${angle})">
      ${flat ? '' : shadow}<path d="${letters}" fill="${colour}"/></g>`,
    line: {
      text,
      corners: [turned(left, top), turned(right, top), turned(right, bottom), turned(left, bottom)],
    },
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
