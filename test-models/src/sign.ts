/** The picture that text detection is shown and tested on, and what is written where in it. */
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

export function signImagePath(): string {
  return fileURLToPath(new URL('../images/sign.png', import.meta.url));
}

export function signDescriptionPath(): string {
  return fileURLToPath(new URL('../images/sign.json', import.meta.url));
}

export async function readSignDescription(): Promise<SignDescription> {
  return JSON.parse(await readFile(signDescriptionPath(), 'utf8')) as SignDescription;
}
