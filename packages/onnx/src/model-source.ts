/**
 * Where a model's bytes come from: what both platforms share. `#model-source` adds paths (Node) or not (browsers).
 */
import { InvalidInputError } from '@onegpu/core';
import { download } from './download.ts';
import type { ReadOptions } from './load-progress.ts';
import { unreadable } from './unreadable.ts';

/** A path (Node only), an address, or the bytes of the model themselves. */
export type ModelInput = string | URL | Uint8Array | ArrayBuffer;

export interface ModelSource {
  /** File name or address, for messages. */
  readonly name: string;
  /** Whether `read` gives memory of its own, or the caller's. */
  readonly memory: 'own' | 'callers';
  /** @throws InvalidModelError when it cannot be read, LoadAbortedError */
  read(options?: ReadOptions): Promise<Uint8Array>;
  /**
   * Bytes of a file beside the model; `location` is relative and has no `..`.
   * @throws InvalidModelError when it cannot be read, LoadAbortedError
   */
  readBeside(location: string, options?: ReadOptions): Promise<Uint8Array>;
  /** Puts what was read since the last call into the cache it was asked to use; there where the source can be cached at all. */
  keep?(): Promise<void>;
}

/** Name of a source that is no file. */
export const BYTES_SOURCE = 'bytes';

const NO_FOLDER = 'Pass the file in `externalData`, or load the model by path or address.';

/** A model given as bytes: it has no folder, so files beside it must be given as bytes too. */
export function bytesSource(input: Uint8Array | ArrayBuffer): ModelSource {
  const bytes = asBytes(input);
  return {
    name: BYTES_SOURCE,
    memory: 'callers',
    read: async () => bytes,
    readBeside: async (location) => {
      throw unreadable(location, 'the model was given as bytes, which have no folder', { remedy: NO_FOLDER });
    },
  };
}

const MODEL_PLACE = { subject: 'InferenceSession', field: 'source', expected: 'a path, an address or bytes' };

/** The bytes themselves, not copied. @throws InvalidInputError for anything that holds no bytes, which `place` names. */
export function asBytes(input: unknown, place = MODEL_PLACE): Uint8Array {
  if (input instanceof Uint8Array) return input;
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  const isShared = typeof SharedArrayBuffer !== 'undefined' && input instanceof SharedArrayBuffer;
  if (input instanceof ArrayBuffer || isShared) return new Uint8Array(input);
  const message = place === MODEL_PLACE ? 'this is no model' : 'these are no bytes';
  throw new InvalidInputError(message, { ...place, got: input === null ? 'null' : typeof input });
}

/** A model behind an address that `fetch` understands; data files are looked for beside it. */
export function urlSource(address: URL): ModelSource {
  const unkept: (() => Promise<void>)[] = [];
  const read = async (from: URL, options: ReadOptions | undefined): Promise<Uint8Array> => {
    const { bytes, keep } = await download(from, options);
    if (keep !== undefined) unkept.push(keep);
    return bytes;
  };
  const source: ModelSource = {
    name: address.href,
    memory: 'own',
    read: (options) => read(address, options),
    readBeside: async (location, options) => read(addressBeside(location, address), options),
  };
  const keep = async (): Promise<void> => {
    for (const put of unkept.splice(0)) await put();
  };
  // What lies in memory already is not cached.
  return /^https?:$/.test(address.protocol) ? { ...source, keep } : source;
}

/** @throws InvalidModelError for an address without folders (data:, blob:) */
function addressBeside(location: string, address: URL): URL {
  const escaped = location.split('/').map(encodeURIComponent).join('/');
  try {
    const beside = new URL(escaped, address);
    beside.search = address.search;
    return beside;
  } catch (cause) {
    const reason = `the model came from a ${address.protocol} address, which has no folder`;
    throw unreadable(location, reason, { remedy: NO_FOLDER, cause });
  }
}
