/** From a path, an address or bytes to a graph: read, decode, fetch the data files beside the model, import. */

import { type ErrorDetails, InvalidInputError, InvalidModelError } from '@onegpu/core';
import { openModelSource } from '#model-source';
import { describe } from './describe.ts';
import { type ImportedModel, importModel } from './import.ts';
import { checkAborted, type ProgressListener } from './load-progress.ts';
import { DEFAULT_MODEL_CACHE } from './model-cache.ts';
import { asBytes, BYTES_SOURCE, type ModelInput, type ModelSource } from './model-source.ts';
import { alignRawData } from './proto/align-raw-data.ts';
import { decodeModel } from './proto/decode-model.ts';
import { allTensors, externalLocations, withoutDot } from './proto/external-data.ts';

export interface LoadOptions {
  /** Bytes of data files by the name the model uses; files not given are read beside the model. */
  readonly externalData?: Readonly<Record<string, Uint8Array | ArrayBuffer>>;
  readonly onProgress?: ProgressListener;
  /** Ends loading: `create` rejects with LoadAbortedError, and leaves nothing behind. */
  readonly signal?: AbortSignal;
  /**
   * Browsers: a model and its data files from an address are kept in the Cache API, under this name or, with `true`, under
   * `onegpu-models`; used again as long as the server's ETag or Last-Modified are the same, or nobody can be asked.
   */
  readonly cache?: boolean | string;
}

export interface LoadedModel extends ImportedModel {
  /** Path or address, or `bytes`. */
  readonly source: string;
}

/**
 * Reads and imports a model. Weights are views of the bytes that were read where their alignment allows it.
 * @throws InvalidModelError when it cannot be read or is no valid model, LoadAbortedError, InvalidInputError for a
 * cache where there can be none
 */
export async function loadModel(input: ModelInput, options: LoadOptions = {}): Promise<LoadedModel> {
  const { onProgress, signal } = options;
  checkLoadOptions(options);
  const given = givenFiles(options.externalData);
  const source = openModelSource(input);
  const reading = { onProgress, signal, cache: cacheName(source, options.cache) };
  checkAborted(signal, source.name);
  const bytes = await source.read(reading);
  const model = namingSource(source.name, () => decodeModel(bytes));
  await source.keep?.(); // Before anything moves in the bytes.
  if (source.memory === 'own') alignRawData(allTensors(model));
  const files = new Map<string, Uint8Array>();
  for (const location of namingSource(source.name, () => externalLocations(model))) {
    files.set(location, given.get(location) ?? (await source.readBeside(location, reading)));
  }
  checkAborted(signal, source.name, 'the model, not imported');
  const total = model.graph?.node.length ?? 0;
  onProgress?.({ stage: 'import', done: 0, total });
  const imported = namingSource(source.name, () =>
    importModel(model, { externalFiles: (location) => files.get(location) }),
  );
  await source.keep?.(); // The data files, now that they are known to hold the tensors.
  onProgress?.({ stage: 'import', done: total, total });
  return { ...imported, source: source.name };
}

/** @throws InvalidInputError for what a caller without types may give */
function checkLoadOptions({ onProgress, signal, externalData }: LoadOptions): void {
  const check = (field: string, value: unknown, isValid: boolean, expected: string): void => {
    if (value === undefined || value === null || isValid) return;
    const details = { subject: 'SessionOptions', field, got: describe(value), expected };
    throw new InvalidInputError('the option is none', details);
  };
  check('onProgress', onProgress, typeof onProgress === 'function', 'a function');
  check('signal', signal, typeof signal?.aborted === 'boolean', 'an AbortSignal');
  check('externalData', externalData, typeof externalData === 'object', 'an object of bytes by name');
}

function givenFiles(files: LoadOptions['externalData']): ReadonlyMap<string, Uint8Array> {
  const subject = 'SessionOptions';
  return new Map(
    Object.entries(files ?? {}).map(([name, data]) => [
      withoutDot(name),
      asBytes(data, { subject, field: `externalData.${name}`, expected: 'a Uint8Array or an ArrayBuffer' }),
    ]),
  );
}

/** @throws InvalidInputError where there is no Cache API, and for a source that is no address */
function cacheName(source: ModelSource, option: boolean | string | undefined): string | undefined {
  if (option === undefined || option === false) return undefined;
  const reason =
    (option !== true && (typeof option !== 'string' || option === '') && 'this is no name of a cache') ||
    (source.keep === undefined && 'only what comes from an http address is cached') ||
    (typeof caches === 'undefined' && 'there is no Cache API here');
  if (reason === false) return option === true ? DEFAULT_MODEL_CACHE : option;
  throw new InvalidInputError(reason, {
    subject: 'SessionOptions',
    field: 'cache',
    got: `${describe(option)} for ${source.name}`,
    remedy: 'Leave it out; Node.js reads models from paths.',
  });
}

/** Runs `work`; what it finds wrong with a model from a file or an address gets that name before its subject. */
function namingSource<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof InvalidModelError) || name === BYTES_SOURCE) throw cause;
    const { summary, details } = cause;
    throw new InvalidModelError(summary, { ...details, subject: subjectIn(name, details) }, { cause });
  }
}

/** The file alone where the whole model is wrong, else also which part of it. */
function subjectIn(name: string, { subject, field }: ErrorDetails): string {
  const isWhole = subject === undefined || (subject === 'model' && field === undefined);
  return isWhole ? name : `${name}: ${subject}`;
}
