/**
 * onnxruntime's API over this runtime in a headless Chromium, bundled as an application would: its import alone registers
 * the backend, tensors are the platform's (Chromium has Float16Array), and `env.webgpu` has the device.
 */
import { fileURLToPath } from 'node:url';
import { launchChromium } from '@onegpu/testing/headless-chromium';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildModel } from './model-builder.ts';
import { type ModelServer, serve } from './model-server.ts';

type Browser = Awaited<ReturnType<typeof launchChromium>>;

function doubling(type: 'float32' | 'float16'): Uint8Array {
  return buildModel({
    inputs: { x: { type, dims: ['batch', 2] } },
    outputs: { y: { type, dims: ['batch', 2] } },
    nodes: [{ op: 'Add', inputs: ['x', 'x'], outputs: ['y'] }],
  });
}

const APP = `
import * as ort from '@onegpu/onnx/ort';
import defaults from '@onegpu/onnx/ort';

globalThis.app = async () => {
  const options = { executionProviders: ['webgpu'], freeDimensionOverrides: { batch: 1 } };
  const session = await ort.InferenceSession.create('/float32.onnx', options);
  const device = await ort.env.webgpu.device;
  const { y } = await session.run({ x: new ort.Tensor('float32', [1, 2], [1, 2]) });
  await session.release();
  const given = { executionProviders: [{ name: 'webgpu', device }] };
  const half = await defaults.InferenceSession.create(new URL('/float16.onnx', location.href), given);
  const results = await half.run({ x: new ort.Tensor('float16', Float16Array.of(1.5, -2), [1, 2]) });
  await half.release();
  const missing = await ort.InferenceSession.create('/absent.onnx', options).catch((error) => error);
  return {
    y: [...y.data],
    isDevice: device instanceof GPUDevice,
    half: [results.y.data.constructor.name, ...results.y.data],
    missing: [missing.name, missing.code, missing.message],
  };
};`;

let browser: Browser;
let server: ModelServer;
let script = '';

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: APP, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    ...{ bundle: true, write: false, format: 'iife', platform: 'browser' },
    conditions: ['source'],
    tsconfigRaw: {},
  });
  script = outputFiles[0]?.text ?? '';
  server = await serve(({ url }, response) => {
    const type = /^\/(float\d+)\.onnx$/.exec(url ?? '')?.[1];
    if (type !== undefined) response.end(doubling(type as 'float32'));
    else if (url === '/') response.setHeader('content-type', 'text/html').end('<!doctype html>');
    else response.writeHead(404).end();
  });
  browser = await launchChromium({ webgpu: 'swiftshader' });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

it('runs a page written for onnxruntime-web', async () => {
  const page = await browser.newPage();
  await page.goto(server.origin);
  await page.addScriptTag({ content: script });
  const report = await page.evaluate(() => (globalThis as unknown as { app: () => Promise<unknown> }).app());
  expect(report).toEqual({
    y: [2, 4],
    isDevice: true,
    half: ['Float16Array', 3, -4],
    missing: [expect.any(String), 'invalid-model', expect.stringMatching(/absent\.onnx.*HTTP 404/)],
  });
});
