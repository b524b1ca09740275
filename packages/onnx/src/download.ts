/**
 * What an address answers, in one array: made at once where the server says how long the answer is, and filled as the
 * bytes come; pieces are joined at the end otherwise.
 */
import { LoadAbortedError } from '@onegpu/core';
import { checkAborted, type ReadOptions } from './load-progress.ts';
import { ModelCache } from './model-cache.ts';
import { unreadable } from './unreadable.ts';

/** Most bytes read at once. */
const PIECE_BYTES = 1024 * 1024;

export interface Download {
  readonly bytes: Uint8Array;
  /** Puts the answer into the cache that was asked for; undefined where it came from there, and without a cache. */
  readonly keep: (() => Promise<void>) | undefined;
}

/** @throws InvalidModelError naming the address, what came and what should have; LoadAbortedError */
export async function download(address: URL, options: ReadOptions = {}): Promise<Download> {
  const cache = options.cache === undefined ? undefined : await ModelCache.open(options.cache);
  const kept = await cache?.find(address, options.signal);
  const bytes = kept && (await readKept(kept, address, options));
  if (bytes !== undefined) return { bytes, keep: undefined };
  const response = await request(address, options);
  const answer = await readBody(response, address, options);
  return { bytes: answer, keep: cache && (() => cache.put(address, response, answer)) };
}

/** Undefined for an answer that was not kept whole. */
async function readKept(
  response: Response,
  address: URL,
  options: ReadOptions,
): Promise<Uint8Array | undefined> {
  try {
    return await readBody(response, address, options);
  } catch (error) {
    if (error instanceof LoadAbortedError) throw error;
    return undefined;
  }
}

async function request(address: URL, { signal, cache }: ReadOptions): Promise<Response> {
  const init: RequestInit = { signal: signal ?? null, cache: cache === undefined ? 'default' : 'no-cache' };
  const response = await fetch(address, init).catch((cause: unknown) => {
    checkAborted(signal, address.href, 'no answer yet');
    throw unreadable(address.href, messageOf(cause), { cause });
  });
  if (response.ok) return response;
  await response.body?.cancel();
  const got = `HTTP ${response.status} ${response.statusText}`.trim();
  throw unreadable(address.href, got, { expected: 'HTTP 200 with the file' });
}

async function readBody(response: Response, address: URL, options: ReadOptions): Promise<Uint8Array> {
  const { onProgress, signal } = options;
  const { length, exact } = lengthOf(response);
  const body = new BodyBytes(allocate(length, address), exact);
  const reader = readerOf(response.body);
  const progress = (): string => `${body.done} of ${length === 0 ? 'unknown' : length} bytes`;
  const nextPart = async (): Promise<Uint8Array | undefined> => {
    try {
      return await reader?.read();
    } catch (cause) {
      checkAborted(signal, address.href, progress());
      const expected = length === 0 ? {} : { expected: `${length} bytes` };
      throw unreadable(address.href, `the connection broke after ${body.done} bytes`, { ...expected, cause });
    }
  };
  try {
    for (let part = await nextPart(); part !== undefined; part = await nextPart()) {
      if (!body.take(part)) break;
      onProgress?.({ stage: 'read', done: body.done, total: length });
    }
  } catch (error) {
    await reader?.cancel().catch(() => {}); // The listener's own error: the rest is not sent.
    throw error;
  }
  checkAborted(signal, address.href, progress());
  if (!exact || body.done === length) return body.bytes();
  await reader?.cancel();
  const got = `${body.done > length ? 'at least ' : ''}${body.done} bytes`;
  throw unreadable(address.href, got, { expected: `${length} bytes, as its Content-Length says` });
}

interface PartReader {
  /** The next bytes, until the one after them is asked for; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
  cancel(): Promise<void>;
}

/** Where the stream can, it reads into the same memory again and again: pieces of its own would lie until collected. */
function readerOf(body: Response['body']): PartReader | undefined {
  if (body === null) return undefined;
  try {
    const reader = body.getReader({ mode: 'byob' });
    let memory = new ArrayBuffer(PIECE_BYTES);
    const read = async (): Promise<Uint8Array | undefined> => {
      const { value, done } = await reader.read(new Uint8Array(memory));
      if (value !== undefined) memory = value.buffer;
      return done ? undefined : value;
    };
    return { read, cancel: () => reader.cancel() };
  } catch {
    const reader = body.getReader(); // No stream of bytes.
    return { read: async () => (await reader.read()).value, cancel: () => reader.cancel() };
  }
}

/** The bytes so far: in the array that was made for them, and what does not fit in there. */
class BodyBytes {
  readonly #room: Uint8Array;
  readonly #exact: boolean;
  readonly #rest: Uint8Array[] = [];
  #filled = 0;
  #done = 0;

  constructor(room: Uint8Array, exact: boolean) {
    this.#room = room;
    this.#exact = exact;
  }

  get done(): number {
    return this.#done;
  }

  /** Answers whether the bytes can be right. */
  take(part: Uint8Array): boolean {
    this.#done += part.length;
    if (this.#rest.length === 0 && this.#done <= this.#room.length) {
      this.#room.set(part, this.#filled);
      this.#filled = this.#done;
      return true;
    }
    this.#rest.push(part.slice());
    return !this.#exact;
  }

  bytes(): Uint8Array {
    const [first] = this.#rest;
    if (first === undefined) return this.#room.subarray(0, this.#filled);
    if (this.#rest.length === 1 && this.#filled === 0) return first;
    const joined = new Uint8Array(this.#done);
    joined.set(this.#room.subarray(0, this.#filled));
    let offset = this.#filled;
    for (const part of this.#rest) {
      joined.set(part, offset);
      offset += part.length;
    }
    return joined;
  }
}

/**
 * Content-Length says the size on the wire, which is not the file's where it was compressed; another origin need not
 * tell us of that. `exact`: the file has this length. Length 0: it is not known.
 */
function lengthOf({ headers, type }: Response): { readonly length: number; readonly exact: boolean } {
  const length = headers.get('content-encoding') ? 0 : Number(headers.get('content-length'));
  if (!Number.isSafeInteger(length) || length <= 0) return { length: 0, exact: false };
  return { length, exact: type !== 'cors' };
}

function allocate(length: number, address: URL): Uint8Array {
  try {
    return new Uint8Array(length);
  } catch (cause) {
    throw unreadable(address.href, `${length} bytes`, { expected: 'a length that memory can hold', cause });
  }
}

/** Node's fetch keeps the reason in `cause`. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
