/** Finding test folders and their files, whatever else lies around. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findTestFolders } from './folders.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'onegpu-conformance-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), '');
  }
}

describe('findTestFolders', () => {
  it('finds folders at any depth, sorted by name', async () => {
    await put('node/test_b/model.onnx', 'node/test_a/model.onnx', 'readme.txt', 'empty/notes.txt');
    const folders = await findTestFolders(root);
    expect(folders.map(({ name }) => name)).toEqual(['node/test_a', 'node/test_b']);
  });

  it('takes the folder itself', async () => {
    await put('model.onnx', 'test_data_set_0/output_0.pb');
    const [folder] = await findTestFolders(root);
    expect(folder?.name).toBe(basename(root));
    expect(folder?.dataSets).toHaveLength(1);
  });

  it('orders data sets and files by number and keeps holes', async () => {
    const files = [
      'test_data_set_10/input_0.pb',
      'test_data_set_2/input_10.pb',
      'test_data_set_2/input_2.pb',
    ];
    await put('model.onnx', 'test_data_set_2/output_0.pb', 'test_data_set_2/input_x.pb', ...files);
    const [folder] = await findTestFolders(root);
    expect(folder?.dataSets.map(({ name }) => name)).toEqual(['test_data_set_2', 'test_data_set_10']);
    const inputs = folder?.dataSets[0]?.inputs ?? [];
    expect(inputs).toHaveLength(11);
    expect(inputs.flatMap((file, index) => (file === undefined ? [] : [index]))).toEqual([2, 10]);
  });

  it('rejects where there is no such folder', async () => {
    await expect(findTestFolders(join(root, 'nothing'))).rejects.toThrow('ENOENT');
  });
});
