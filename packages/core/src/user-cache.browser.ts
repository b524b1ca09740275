/**
 * The user's cache in a browser: the Cache API, which pages and workers have wherever they have WebGPU, and which
 * replaces an entry as a whole.
 */
import type { UserCache } from './user-cache.ts';

const CACHE = 'onegpu';

/** Entries of a cache are answers to addresses; nobody ever fetches these. */
function address(name: string): string {
  return `https://onegpu.invalid/${encodeURIComponent(name)}`;
}

export const userCache: UserCache = {
  place: (name) => (typeof caches === 'undefined' ? undefined : `browser cache "${CACHE}", ${name}`),
  async read(name) {
    try {
      return await (await (await caches.open(CACHE)).match(address(name)))?.text();
    } catch {
      return undefined;
    }
  },
  async write(name, text) {
    try {
      await (await caches.open(CACHE)).put(address(name), new Response(text));
      return true;
    } catch {
      return false;
    }
  },
  warn: (name, text) => console.warn(`${name}: ${text}`),
};
