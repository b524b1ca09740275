import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'onegpu-'));
});
afterAll(() => rm(root, { recursive: true }));

it('makes the folders above it, and takes one that is there', async () => {
  const path = join(root, 'a', 'b', 'c');
  await makeFolder(path);
  await makeFolder(path);
  expect((await stat(path)).isDirectory()).toBe(true);
});

it('says which file is in the way', async () => {
  const file = join(root, 'file');
  await writeFile(file, '');
  await expect(makeFolder(file)).rejects.toMatchObject({ code: 'ENOTDIR', path: file });
  await expect(makeFolder(join(file, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

if (process.platform === 'linux') {
  it('fails where the file system makes none, and does not hang', async () => {
    await expect(makeFolder('/proc/onegpu')).rejects.toMatchObject({ code: 'ENOENT' });
  });
}
