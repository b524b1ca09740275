/**
 * Answers to addresses kept in a browser's Cache API, so that a model is sent once. An answer is used again as long as its
 * ETag or Last-Modified is what the server says (HEAD: a request of a few bytes that needs no preflight at other
 * origins); without these, or where the server cannot be asked, by its address alone. A cache that cannot be opened or
 * has no room is told in a warning, and the model loads without.
 */
import { warnOfCache } from '@onegpu/core';

export const DEFAULT_MODEL_CACHE = 'onegpu-models';

/** Name of the warning for a cache that could not be used. */
export const MODEL_CACHE_WARNING = 'ModelCacheWarning';

const VALIDATORS = ['etag', 'last-modified'];

/** Bytes given to the cache at once. */
const PIECE_BYTES = 1024 * 1024;

export class ModelCache {
  readonly #cache: Cache;

  private constructor(cache: Cache) {
    this.#cache = cache;
  }

  static async open(name: string): Promise<ModelCache | undefined> {
    try {
      return new ModelCache(await caches.open(name));
    } catch (cause) {
      warn(`the cache "${name}" cannot be opened`, cause);
      return undefined;
    }
  }

  /** The answer kept for an address, where it still is what the server would give. */
  async find(address: URL, signal: AbortSignal | undefined): Promise<Response | undefined> {
    const kept = await this.#cache.match(address.href, { ignoreVary: true }).catch(() => undefined);
    const isOurs = kept?.ok === true && kept.headers.has('content-length');
    return !isOurs || (await hasChanged(address, kept, signal)) ? undefined : kept;
  }

  /** Resolves when the bytes are stored, or cannot be. */
  async put(address: URL, { headers }: Response, bytes: Uint8Array): Promise<void> {
    const kept = new Headers({ 'content-length': String(bytes.length) });
    for (const name of VALIDATORS) {
      const value = headers.get(name);
      if (value !== null) kept.set(name, value);
    }
    try {
      await this.#cache.put(address.href, new Response(inPieces(bytes), { headers: kept }));
    } catch (cause) {
      warn(`${address.href} is not kept`, cause);
    }
  }
}

async function hasChanged(address: URL, kept: Response, signal: AbortSignal | undefined): Promise<boolean> {
  if (!VALIDATORS.some((name) => kept.headers.has(name))) return false;
  const request = { method: 'HEAD', cache: 'no-cache', signal: signal ?? null } as const;
  const now = await fetch(address, request).catch(() => undefined);
  if (now?.ok !== true) return false;
  const told = VALIDATORS.find((name) => kept.headers.has(name) && now.headers.has(name));
  return told !== undefined && strong(now, told) !== strong(kept, told);
}

/** A server that compresses one answer and not the other marks its ETag as weak. */
function strong({ headers }: Response, name: string): string | undefined {
  return headers.get(name)?.replace(/^W\//, '');
}

/** The bytes as a stream: a body of bytes would be a copy of all of them. */
function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        controller.enqueue(bytes.subarray(at, at + PIECE_BYTES));
        at += PIECE_BYTES;
        if (at >= bytes.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

function warn(what: string, cause: unknown): void {
  warnOfCache(MODEL_CACHE_WARNING, `${what}: ${cause instanceof Error ? cause.message : String(cause)}`);
}
