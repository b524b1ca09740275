/**
 * Small JSON documents kept between runs, by name: measured ceilings, tuned layers. In Node.js files of the user's
 * cache folder, in a browser entries of its Cache API; chosen by the package's `imports` map (`#user-cache`). A cache
 * that cannot be read or written is as good as none: nothing here throws.
 */
import { userCache } from '#user-cache';

/** What a platform provides. */
export interface UserCache {
  /** Where a document lies, for people: a path in Node.js; undefined where there is no cache. */
  place(name: string): string | undefined;
  /** Undefined where it is absent. */
  read(name: string): Promise<string | undefined>;
  /** Replaces a document as a whole; answers whether it was written. */
  write(name: string, text: string): Promise<boolean>;
  /** A warning by name where nobody else can be told: the process's warnings, or the console. */
  warn(name: string, text: string): void;
}

/** Where a document of the cache lies, for people; undefined where there is no cache. */
export function cachedPlace(name: string): string | undefined {
  return userCache.place(name);
}

/** The text of a document; undefined when it is absent. */
export function readCachedText(name: string): Promise<string | undefined> {
  return userCache.read(name);
}

/** The parsed contents of a document; undefined when it is absent or broken. */
export async function readCached(name: string): Promise<unknown> {
  const text = await userCache.read(name);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Answers whether the document was written. Another process reads it whole, as it was or as it is. */
export function writeCached(name: string, value: unknown): Promise<boolean> {
  return userCache.write(name, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** Tells of something that was passed over, by the name of the warning. */
export function warnOfCache(name: string, text: string): void {
  userCache.warn(name, text);
}
