/**
 * The user's cache in Node.js: files of a folder, ONEGPU_CACHE, else `onegpu` in XDG_CACHE_HOME, LOCALAPPDATA (Windows)
 * or ~/.cache.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { UserCache } from './user-cache.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Folder of the cache; undefined where there is no home to put it in. */
export function cacheFolder(
  environment: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const { ONEGPU_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = environment;
  if (ONEGPU_CACHE) return ONEGPU_CACHE;
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'onegpu');
  if (platform === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'onegpu');
  const home = homedir();
  return home === '' ? undefined : join(home, '.cache', 'onegpu');
}

let writes = 0;

export const userCache: UserCache = {
  place(name) {
    const folder = cacheFolder();
    return folder === undefined ? undefined : join(folder, name);
  },
  async read(name) {
    const file = userCache.place(name);
    return file === undefined ? undefined : readFile(file, 'utf8').catch(() => undefined);
  },
  async write(name, text) {
    const folder = cacheFolder();
    if (folder === undefined) return false;
    // Written aside and renamed: another process never reads half a file.
    const aside = join(folder, `${name}.${process.pid}.${writes++}`);
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(aside, text);
      await rename(aside, join(folder, name));
      return true;
    } catch {
      await rm(aside, { force: true }).catch(() => undefined);
      return false;
    }
  },
  warn: (name, text) => process.emitWarning(text, name),
};
