/** `onegpu bench` as a process: what it asks for, what it refuses, and peers that are not installed. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convLayerModel } from '@onegpu/test-models';
import { testAdapter } from '@onegpu/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onegpu } from './onegpu-process.ts';

const LAYER = {
  src: [1, 3, 7, 11],
  weights: [5, 3, 3, 3],
  strides: [1, 1],
  dilations: [1, 1],
  pads: [1, 1, 1, 1],
  groups: 1,
};

/** Loaded before anything else: the package cannot be found, as where it was not installed. */
const HOOK = `export async function resolve(specifier, context, next) {
  if (specifier !== 'onnxruntime-node') return next(specifier, context);
  throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
}`;
const asUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
const REGISTER = `import { register } from 'node:module'; register(${JSON.stringify(asUrl(HOOK))});`;

let folder = '';
let model = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onegpu-cli-bench-'));
  model = join(folder, 'conv.onnx');
  await writeFile(model, convLayerModel(LAYER, new Float32Array(135).fill(0.25), new Float32Array(5)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const bench = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  onegpu(['bench', '--adapter', testAdapter(), ...words], environment);

describe('onegpu bench', () => {
  it('gives rows of peers that are not installed their reason, and ends with 0', async () => {
    const words = ['--models', model, '--peers', 'ort-webgpu,ort-cpu', '--runs', '2'];
    const { code, out } = await bench(words, { NODE_OPTIONS: `--import=${asUrl(REGISTER)}` });
    expect(code).toBe(0);
    expect(out).toMatch(/\| conv +\| 1x3x7x11 \| onegpu +\| +[\d.]+ \|/);
    for (const peer of ['ort-webgpu', 'ort-cpu']) {
      expect(out).toMatch(new RegExp(`\\| conv +\\| 1x3x7x11 \\| ${peer} +\\| +absent \\|`));
      expect(out).toContain(`conv 1x3x7x11, ${peer}: onnxruntime-node is not installed`);
    }
  });

  it('states adapter, driver, versions and commit in JSON, and the sum of creation and first run', async () => {
    const { out } = await bench(['--models', model, '--peers', 'ort-cpu', '--runs', '1', '--json']);
    const { environment, rows } = JSON.parse(out);
    expect(environment).toMatchObject({ adapter: expect.any(String), driver: expect.any(String) });
    expect(Object.keys(environment.versions)).toEqual(
      expect.arrayContaining(['node', 'webgpu', '@onegpu/bench', 'onnxruntime-node']),
    );
    expect(rows).toHaveLength(2);
    for (const { readyMs, loadMs, firstRunMs } of rows) expect(readyMs).toBe(loadMs + firstRunMs);
    expect(rows[1].readyRatio).toBe(rows[1].readyMs / rows[0].readyMs);
  });

  it('wants one thing at a time, and a network it knows', async () => {
    for (const words of [[], ['--models', model, '--ceilings'], ['--layers', 'vgg'], ['--filter', '(']]) {
      const { code, out } = await bench(words);
      expect(code, words.join(' ')).toBe(2);
      expect(out).toBe('');
    }
  });
});
