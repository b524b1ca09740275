/** The data files beside a model, for commands that read a model's bytes themselves. */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { InvalidModelError } from '@onegpu/core';

/** A reader of files in the folder of `model`; files that are not there are undefined. */
export function readDataFiles(model: string): (location: string) => Uint8Array | undefined {
  const read = new Map<string, Uint8Array | undefined>();
  return (location) => {
    if (!read.has(location)) read.set(location, readBeside(model, location));
    return read.get(location);
  };
}

function readBeside(model: string, location: string): Uint8Array | undefined {
  const folder = realpathSync(dirname(model));
  try {
    const path = realpathSync(resolve(folder, location));
    if (relative(folder, path).startsWith('..')) {
      throw new InvalidModelError('external data must lie in the folder of the model', {
        subject: model,
        field: 'external_data.location',
        got: path,
        expected: `a file in ${folder}`,
      });
    }
    return new Uint8Array(readFileSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
