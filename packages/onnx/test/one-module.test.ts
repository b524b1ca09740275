/**
 * The package as one ES module in a browser: bundled by esbuild without plugins, in a page and in a worker of it, on
 * the software adapter of a headless Chromium. It asks for its model and for nothing else, and gives what Node gives.
 * What its entry for browsers leaves out comes with a second module, once a page asks for that.
 */
import { fileURLToPath } from 'node:url';
import { expectWithin, randomFill, sumTolerance, testDevice } from '@onegpu/testing';
import { launchChromium } from '@onegpu/testing/headless-chromium';
import { type BuildOptions, build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';
import { buildModel } from './model-builder.ts';

type Browser = Awaited<ReturnType<typeof launchChromium>>;

const DIMS = [1, 3, 12, 10];
const WEIGHTS = [8, 3, 3, 3];
/** Of the convolution, and of the average behind it. */
const TOLERANCE = sumTolerance({ terms: 27 }) + sumTolerance({ terms: 120 });
const FEEDS = randomFill(3 * 12 * 10, 1);

const MODEL = buildModel({
  inputs: { x: { dims: DIMS } },
  outputs: ['y'],
  nodes: [
    { op: 'Conv', inputs: ['x', 'w'], outputs: ['c'], attributes: { pads: [1, 1, 1, 1] } },
    { op: 'Relu', inputs: ['c'], outputs: ['r'] },
    { op: 'GlobalAveragePool', inputs: ['r'], outputs: ['y'] },
  ],
  initializers: { w: new Tensor('float32', randomFill(8 * 27, 2), WEIGHTS) },
});

/** What a page's worker is, and a page itself does: a run of the model; its outputs, or the error's words. */
const RUN = `
const run = async (values) => {
  const { InferenceSession, Tensor } = await import('https://one.test/onegpu.js');
  const stages = new Set();
  const onProgress = ({ stage }) => stages.add(stage);
  const session = await InferenceSession.create('https://one.test/model.onnx', { onProgress });
  const { y } = await session.run({ x: new Tensor('float32', Float32Array.from(values), [${DIMS}]) });
  await session.release();
  return { dims: y.dims, data: [...y.data], stages: [...stages] };
};`;

/** Of bytes, which the entry for browsers leaves to the full one. */
const QUANTIZED = buildModel({
  inputs: { x: { type: 'uint8', dims: [4] } },
  outputs: ['y'],
  nodes: [{ op: 'DequantizeLinear', inputs: ['x', 'scale', 'zero'], outputs: ['y'] }],
  initializers: { scale: new Tensor('float32', [0.5], []), zero: new Tensor('uint8', [2], []) },
});

const BUNDLING = {
  absWorkingDir: fileURLToPath(new URL('../../../', import.meta.url)),
  ...{ bundle: true, write: false, format: 'esm', platform: 'browser', minify: true },
  ...{ conditions: ['source'], tsconfigRaw: {} },
} as const satisfies BuildOptions;

interface Ran {
  readonly dims: readonly number[];
  readonly data: readonly number[];
  readonly stages: readonly string[];
}

interface ServedFile {
  readonly contentType: string;
  readonly body: string | Buffer;
}

let browser: Browser;
let files: Map<string, ServedFile>;
beforeAll(async () => {
  const bundled = await build({ ...BUNDLING, entryPoints: { onegpu: '@onegpu/onnx' }, outdir: '/' });
  const split = await build({
    ...{ ...BUNDLING, entryPoints: { entry: '@onegpu/onnx', full: '@onegpu/onnx/full' }, outdir: '/split' },
    ...{ splitting: true },
  });
  const script = (body: string) => ({ contentType: 'text/javascript', body });
  files = new Map<string, ServedFile>([
    ['/', { contentType: 'text/html', body: '<!doctype html><title>one module</title>' }],
    ...[...bundled.outputFiles, ...split.outputFiles].map(({ path, text }) => [path, script(text)] as const),
    ['/worker.js', script(`${RUN}\nonmessage = async ({ data }) => postMessage(await run(data));`)],
    ['/model.onnx', { contentType: 'application/octet-stream', body: Buffer.from(MODEL) }],
    ['/quantized.onnx', { contentType: 'application/octet-stream', body: Buffer.from(QUANTIZED) }],
  ]);
  browser = await launchChromium({ webgpu: 'swiftshader' });
});
afterAll(() => browser?.close());

/** Runs a script in a page of its own. Answers with its result, what the page asked for and what it complained of. */
async function inPage<Result = Ran>(script: string) {
  const page = await browser.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.route('**/*', (route) => {
    const { pathname } = new URL(route.request().url());
    const file = files.get(pathname);
    if (pathname !== '/') asked.push(pathname);
    return file === undefined ? route.fulfill({ status: 404 }) : route.fulfill(file);
  });
  await page.goto('https://one.test/');
  const ran: Result = await page.evaluate(script);
  await page.close();
  return { ran, asked, complaints };
}

async function inNode(): Promise<Float32Array> {
  await using session = await InferenceSession.create(MODEL, { device: await testDevice() });
  const { y } = await session.run({ x: new Tensor('float32', FEEDS, DIMS) });
  return y?.data as Float32Array;
}

describe('one ES module', () => {
  const values = JSON.stringify([...FEEDS]);

  it.each([
    ['in a page', `(async () => { ${RUN} return run(${values}); })()`, ['/onegpu.js', '/model.onnx']],
    [
      'in a worker',
      `new Promise((resolve, reject) => {
         const worker = new Worker('/worker.js', { type: 'module' });
         worker.onmessage = ({ data }) => resolve(data);
         worker.onerror = (event) => reject(new Error(event.message));
         worker.postMessage(${values});
       })`,
      ['/worker.js', '/onegpu.js', '/model.onnx'],
    ],
  ])('%s', async (_, script, expected) => {
    const { ran, asked, complaints } = await inPage(script);
    expect(complaints).toEqual([]);
    expect(asked.filter((path) => path !== '/favicon.ico')).toEqual(expected);
    expect(ran.dims).toEqual([1, 8, 1, 1]);
    expect(ran.stages).toEqual(expect.arrayContaining(['read', 'import', 'compile', 'upload']));
    expectWithin(Float32Array.from(ran.data), await inNode(), TOLERANCE, ran.dims);
  });
});

describe('the full entry', () => {
  it('makes a session of what the entry for browsers refuses, in the same page', async () => {
    const { ran, asked, complaints } = await inPage<{
      refusal: string;
      data: readonly number[];
    }>(`(async () => {
      const { InferenceSession, Tensor } = await import('https://one.test/split/entry.js');
      const create = () => InferenceSession.create('https://one.test/quantized.onnx');
      const refusal = await create().then(() => 'none', (error) => error.name + ': ' + error.message);
      await import('https://one.test/split/full.js');
      const session = await create();
      const { y } = await session.run({ x: new Tensor('uint8', [0, 2, 3, 255], [4]) });
      const { entry } = await session.explain({ x: [4] });
      await session.release();
      return { refusal: entry + ' ' + refusal, data: [...y.data] };
    })()`);
    expect(complaints).toEqual([]);
    expect(ran.refusal).toMatch(
      /^full UnsupportedOperatorError: .*DequantizeLinear.*\n?.*Import "@onegpu\/onnx\/full"/s,
    );
    expect(ran.data).toEqual([-1, 0, 0.5, 126.5]);
    expect(asked.filter((path) => path.endsWith('.onnx'))).toHaveLength(2);
  });
});
