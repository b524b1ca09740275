/** `onegpu profile --report --trace` as a process: both files are there, and a wrong path ends it before it measures. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convLayerModel } from '@onegpu/test-models';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onegpu } from './onegpu-process.ts';

let folder = '';
let model = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onegpu-profile-'));
  model = join(folder, 'layer.onnx');
  const layer = { src: [1, 4, 7, 5], weights: [4, 4, 3, 3], strides: [1, 1], dilations: [1, 1] };
  const bytes = convLayerModel(
    { ...layer, pads: [1, 1, 1, 1], groups: 1 },
    new Float32Array(144).fill(0.25),
    new Float32Array(4),
  );
  await writeFile(model, bytes);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('writes a page and a trace of the rows it prints', async () => {
  const [page, trace] = [join(folder, 'page.html'), join(folder, 'trace.json')];
  const words = ['profile', model, '--adapter', 'software', '--runs', '1', '--no-ceilings', '--json'];
  const { code, out, error } = await onegpu([...words, '--report', page, '--trace', trace]);
  expect(code, error).toBe(0);
  const { rows } = JSON.parse(out);
  const html = await readFile(page, 'utf8');
  expect(html).toContain('<h1>layer.onnx</h1>');
  expect(html).not.toContain(folder);
  expect(html.match(/<tr data-row=/g)).toHaveLength(rows.length);
  const { traceEvents } = JSON.parse(await readFile(trace, 'utf8'));
  const labels = traceEvents.filter(
    (event: { cat?: string }) => event.cat !== undefined && event.cat !== 'host',
  );
  expect(labels.map((event: { name: string }) => event.name)).toEqual(
    rows.map((row: { label: string }) => row.label),
  );
});

it('does not overwrite the model', async () => {
  const { code, error } = await onegpu(['profile', model, '--save', model]);
  expect(code).toBe(2);
  expect(error).toContain('the command reads this file');
});

it('ends with 2 and one line where a folder is missing', async () => {
  const path = join(folder, 'missing', 'page.html');
  const { code, out, error } = await onegpu(['profile', model, '--report', path]);
  expect(code).toBe(2);
  expect(out).toBe('');
  expect(error).toContain(`--report ${path}: there is no folder ${join(folder, 'missing')}`);
});
