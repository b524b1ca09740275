/** The pictures that models are shown on, and of the one that text detection is tested on what is written where in it. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Point } from './overlap.ts';

/** One line of text in the picture. */
export interface SignLine {
  readonly text: string;
  /** Around the ink with a tenth of the size on every side: top left, top right, bottom right, bottom left. */
  readonly corners: readonly Point[];
}

/** What `images/sign.json` holds; all numbers are pixels of the picture. */
export interface SignDescription {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly SignLine[];
}

export const PICTURE_NAMES = ['sign', 'receipt', 'line'] as const;

export type PictureName = (typeof PICTURE_NAMES)[number];

/** Path of a PNG file: the sign, papers whose lines run in four directions, or one line of text upside down. */
export function picturePath(name: PictureName): string {
  return fileURLToPath(new URL(`../images/${name}.png`, import.meta.url));
}

export function signImagePath(): string {
  return picturePath('sign');
}

export function signDescriptionPath(): string {
  return fileURLToPath(new URL('../images/sign.json', import.meta.url));
}

export async function readSignDescription(): Promise<SignDescription> {
  return JSON.parse(await readFile(signDescriptionPath(), 'utf8')) as SignDescription;
}
