/** What a command line may call a model, and what it is told where it errs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidInputError } from '@onegpu/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findModel } from './find-model.ts';

describe('findModel', () => {
  it('gives path and extents of a test model', async () => {
    const { path, dims } = await findModel('ocr-cls');
    expect(path).toMatch(/\.onnx$/);
    expect(dims).toEqual([1, 3, 48, 192]);
  });

  it.each(['https://models.example/resnet50.onnx', 'models/absent.onnx', 'C:\\absent.onnx', '.'])(
    'leaves %s to the loader',
    async (path) => {
      expect(await findModel(path)).toEqual({ path });
    },
  );

  it.each([
    ['mobilnet_v3_small', 'Did you mean mobilenet_v3_small?'],
    ['mobilenet_v3_smal.onnx', 'Did you mean mobilenet_v3_small?'],
    ['ocr', 'Did you mean ocr-det or ocr-cls?'],
    ['yolo', 'Test models are resnet18, '],
  ])('says of %s that it is neither, and what was meant', async (name, remedy) => {
    const error = await findModel(name).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toMatchObject({ summary: 'this is neither a file nor a test model' });
    expect(error).toMatchObject({ details: { subject: name, remedy: expect.stringContaining(remedy) } });
  });
});

describe('findModel in a folder', () => {
  const before = process.cwd();
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'onegpu-find-'));
    await writeFile(join(folder, 'resnet50'), '');
    process.chdir(folder);
  });
  afterAll(async () => {
    process.chdir(before);
    await rm(folder, { recursive: true, force: true });
  });

  it('prefers its file to the test model of that name', async () => {
    expect(await findModel('resnet50')).toEqual({ path: 'resnet50' });
  });
});
