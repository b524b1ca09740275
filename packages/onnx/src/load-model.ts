/** From a path, an address or bytes to a graph: read, decode, fetch the data files beside the model, import. */

import { InvalidModelError } from '@onegpu/core';
import { openModelSource } from '#model-source';
import { type ImportedModel, importModel } from './import.ts';
import type { ProgressListener } from './load-progress.ts';
import { asBytes, BYTES_SOURCE, type ModelInput } from './model-source.ts';
import { alignRawData } from './proto/align-raw-data.ts';
import { decodeModel } from './proto/decode-model.ts';
import { allTensors, externalLocations } from './proto/external-data.ts';

export interface LoadOptions {
  /** Bytes of data files by the name the model uses; files not given are read beside the model. */
  readonly externalData?: Readonly<Record<string, Uint8Array | ArrayBuffer>>;
  readonly onProgress?: ProgressListener;
}

export interface LoadedModel extends ImportedModel {
  /** Path or address, or `bytes`. */
  readonly source: string;
}

/**
 * Reads and imports a model. Weights are views of the bytes that were read where their alignment allows it.
 * @throws InvalidModelError when it cannot be read or is no valid model.
 */
export async function loadModel(input: ModelInput, options: LoadOptions = {}): Promise<LoadedModel> {
  const { onProgress } = options;
  const source = openModelSource(input);
  const bytes = await source.read(onProgress);
  const model = namingSource(source.name, () => decodeModel(bytes));
  if (source.memory === 'own') alignRawData(allTensors(model));
  const files = new Map<string, Uint8Array>();
  for (const location of externalLocations(model)) {
    const given = options.externalData?.[location];
    files.set(location, given === undefined ? await source.readBeside(location, onProgress) : asBytes(given));
  }
  const total = model.graph?.node.length ?? 0;
  onProgress?.({ stage: 'import', done: 0, total });
  const imported = namingSource(source.name, () =>
    importModel(model, { externalFiles: (location) => files.get(location) }),
  );
  onProgress?.({ stage: 'import', done: total, total });
  return { ...imported, source: source.name };
}

/** Runs `work`; what it finds wrong with a model from a file or an address gets that name in front. */
function namingSource<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof InvalidModelError) || name === BYTES_SOURCE) throw cause;
    throw new InvalidModelError(cause.message, { subject: name }, { cause });
  }
}
