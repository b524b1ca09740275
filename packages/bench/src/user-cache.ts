/**
 * Small JSON files in the user's cache folder: ONEGPU_CACHE, else `onegpu` in XDG_CACHE_HOME, LOCALAPPDATA (Windows)
 * or ~/.cache. A cache that cannot be read or written is as good as none: nothing here throws.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

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

/** The parsed contents of a file of the cache; undefined when it is absent or broken. */
export async function readCached(name: string): Promise<unknown> {
  const folder = cacheFolder();
  if (folder === undefined) return undefined;
  try {
    return JSON.parse(await readFile(join(folder, name), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Answers whether the file was written. */
export async function writeCached(name: string, value: unknown): Promise<boolean> {
  const folder = cacheFolder();
  if (folder === undefined) return false;
  // Written aside and renamed: another process never reads half a file.
  const aside = join(folder, `${name}.${process.pid}`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(aside, `${JSON.stringify(value, undefined, 2)}\n`);
    await rename(aside, join(folder, name));
    return true;
  } catch {
    await rm(aside, { force: true }).catch(() => undefined);
    return false;
  }
}
