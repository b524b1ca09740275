/**
 * Where a model's bytes come from: what both platforms share. `#model-source` adds paths (Node) or not (browsers).
 */
import { InvalidInputError, InvalidModelError } from '@onegpu/core';
import type { ProgressListener } from './load-progress.ts';

/** A path (Node only), an address, or the bytes of the model themselves. */
export type ModelInput = string | URL | Uint8Array | ArrayBuffer;

export interface ModelSource {
  /** File name or address, for messages. */
  readonly name: string;
  /** Whether `read` gives memory of its own, or the caller's. */
  readonly memory: 'own' | 'callers';
  /** @throws InvalidModelError when it cannot be read. */
  read(onProgress?: ProgressListener): Promise<Uint8Array>;
  /**
   * Bytes of a file beside the model; `location` is relative and has no `..`.
   * @throws InvalidModelError when it cannot be read.
   */
  readBeside(location: string, onProgress?: ProgressListener): Promise<Uint8Array>;
}

/** Name of a source that is no file. */
export const BYTES_SOURCE = 'bytes';

/** A model given as bytes: it has no folder, so files beside it must be given as bytes too. */
export function bytesSource(input: Uint8Array | ArrayBuffer): ModelSource {
  const bytes = asBytes(input);
  return {
    name: BYTES_SOURCE,
    memory: 'callers',
    read: async () => bytes,
    readBeside: async (location) => {
      throw unreadable(location, 'the model was given as bytes, which have no folder', {
        remedy: 'Pass the file in `externalData`, or load the model by path or address.',
      });
    },
  };
}

/** The bytes themselves, not copied. @throws InvalidInputError for anything that holds no bytes. */
export function asBytes(input: unknown): Uint8Array {
  if (input instanceof Uint8Array) return input;
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  const isShared = typeof SharedArrayBuffer !== 'undefined' && input instanceof SharedArrayBuffer;
  if (input instanceof ArrayBuffer || isShared) return new Uint8Array(input);
  throw new InvalidInputError('this is no model', {
    subject: 'InferenceSession',
    field: 'source',
    got: input === null ? 'null' : typeof input,
    expected: 'a path, an address or bytes',
  });
}

/** A model behind an address that `fetch` understands; data files are looked for beside it. */
export function urlSource(address: URL): ModelSource {
  return {
    name: address.href,
    memory: 'own',
    read: (onProgress) => download(address, onProgress),
    readBeside: (location, onProgress) => {
      const escaped = location.split('/').map(encodeURIComponent).join('/');
      const beside = new URL(escaped, address);
      beside.search = address.search;
      return download(beside, onProgress);
    },
  };
}

/** An error for a file that is not there or cannot be read; `cause` keeps the system's words. */
export function unreadable(
  name: string,
  reason: string,
  { remedy, cause }: { readonly remedy?: string; readonly cause?: unknown } = {},
): InvalidModelError {
  const details = { subject: name, got: reason, ...(remedy === undefined ? {} : { remedy }) };
  return new InvalidModelError('the file cannot be read', details, cause === undefined ? {} : { cause });
}

async function download(address: URL, onProgress: ProgressListener | undefined): Promise<Uint8Array> {
  const response = await fetch(address).catch((cause: unknown) => {
    throw unreadable(address.href, cause instanceof Error ? cause.message : String(cause), { cause });
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw unreadable(address.href, `HTTP ${response.status} ${response.statusText}`.trim());
  }
  const total = expectedLength(response.headers);
  const chunks: Uint8Array[] = [];
  let done = 0;
  const reader = response.body?.getReader();
  try {
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      chunks.push(part.value);
      done += part.value.byteLength;
      onProgress?.({ stage: 'read', done, total });
    }
  } catch (cause) {
    throw unreadable(address.href, `the connection broke after ${done} bytes`, { cause });
  }
  return concatenate(chunks, done);
}

/** Content-Length says the size on the wire, which is not the file's when it was compressed. */
function expectedLength(headers: Headers): number {
  if (headers.get('content-encoding')) return 0;
  const length = Number(headers.get('content-length'));
  return Number.isSafeInteger(length) && length > 0 ? length : 0;
}

function concatenate(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
