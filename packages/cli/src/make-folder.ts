/**
 * A folder and those above it. Node's own `recursive` never returns where the file system refuses new folders with
 * ENOENT, as `/proc` does.
 */
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** @throws the file system's error, with its path: a file in the way, no permission, no such folder possible. */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  let folder = resolve(path);
  while (!(await exists(folder))) {
    missing.unshift(folder);
    folder = dirname(folder);
  }
  for (const each of missing) {
    await mkdir(each).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error; // Made by somebody else meanwhile.
    });
  }
}

/** @throws ENOTDIR where a file is in the way. */
async function exists(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return false;
  if (found.isDirectory()) return true;
  throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR', path });
}
