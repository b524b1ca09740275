import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheFolder } from './user-cache.node.ts';
import { readCached, writeCached } from './user-cache.ts';

describe('cacheFolder', () => {
  it('follows the platform', () => {
    expect(cacheFolder({ ONEGPU_CACHE: '/own', XDG_CACHE_HOME: '/xdg' }, 'linux')).toBe('/own');
    expect(cacheFolder({ XDG_CACHE_HOME: '/xdg' }, 'linux')).toBe(join('/xdg', 'onegpu'));
    expect(cacheFolder({ LOCALAPPDATA: '/local' }, 'win32')).toBe(join('/local', 'onegpu'));
    expect(cacheFolder({ LOCALAPPDATA: '/local' }, 'linux')).toMatch(/\.cache.onegpu$/);
  });
});

describe('files of the cache', () => {
  const before = process.env.ONEGPU_CACHE;
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'onegpu-cache-'));
    process.env.ONEGPU_CACHE = join(folder, 'made', 'on', 'demand');
  });
  afterEach(async () => {
    if (before === undefined) delete process.env.ONEGPU_CACHE;
    else process.env.ONEGPU_CACHE = before;
    await rm(folder, { recursive: true, force: true });
  });

  it('come back as they were, with nothing beside them', async () => {
    expect(await readCached('a.json')).toBeUndefined();
    expect(await writeCached('a.json', { x: [1, 2] })).toBe(true);
    expect(await readCached('a.json')).toEqual({ x: [1, 2] });
    expect(await readdir(cacheFolder() ?? '')).toEqual(['a.json']);
  });

  it('are no error where the folder cannot be written', async () => {
    await writeFile(join(folder, 'file'), '');
    process.env.ONEGPU_CACHE = join(folder, 'file');
    expect(await writeCached('a.json', 1)).toBe(false);
    expect(await readCached('a.json')).toBeUndefined();
  });
});
