/** What the server offers beside the page: models and pictures, as `server/bundled.ts` lists them. */
import { InvalidInputError } from '@onegpu/core';
import type { BundledModel, BundledPicture } from '../server/bundled.ts';

export type { BundledModel, BundledPicture };

export interface Catalogue {
  readonly models: readonly BundledModel[];
  readonly pictures: readonly BundledPicture[];
}

/** @throws InvalidInputError where the server does not answer with a catalogue */
export async function readCatalogue(): Promise<Catalogue> {
  const address = addressOf('bundled.json');
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return (await response.json()) as Catalogue;
  } catch (cause) {
    throw new InvalidInputError(
      'the list of bundled models cannot be read',
      {
        subject: address.pathname,
        got: cause instanceof Error ? cause.message : String(cause),
        remedy: 'Open a model and a picture of your own.',
      },
      { cause },
    );
  }
}

export function addressOf(file: string): URL {
  return new URL(file, document.baseURI);
}
