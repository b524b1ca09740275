/**
 * Models from addresses in a headless Chromium, the package bundled as an application would: what the Cache API keeps,
 * when it is used again, what happens without room for it, and what JavaScript holds of a large model.
 */
import { fileURLToPath } from 'node:url';
import { launchChromium } from '@onegpu/testing/headless-chromium';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { largeModel } from './large-model.ts';
import { encodeModel, modelProto } from './model-builder.ts';
import { type ModelServer, SERVED_MODEL, serve } from './model-server.ts';

type Browser = Awaited<ReturnType<typeof launchChromium>>;
type Context = Awaited<ReturnType<Browser['newContext']>>;
type Page = Awaited<ReturnType<Context['newPage']>>;

/** Adds what lies in w.bin. */
function besideModel(): Uint8Array {
  const nodes = [{ op: 'Add', inputs: ['x', 'w'], outputs: ['y'] }];
  const proto = modelProto({ inputs: { x: { dims: [3] } }, outputs: ['y'], nodes });
  const externalData = [{ key: 'location', value: 'w.bin' }];
  const w = { name: 'w', dims: [3], dataType: 1, dataLocation: 1, externalData };
  return encodeModel({ ...proto, graph: { ...proto.graph, initializer: [w] } });
}

const BESIDE = besideModel();

let weights = new Uint8Array(0);
let script = '';
let large: Uint8Array;
let headers: Record<string, string> = {};
let requests: string[] = [];
let server: ModelServer;
let browser: Browser;
let context: Context;

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    ...{ bundle: true, write: false, format: 'iife', globalName: 'onegpu', platform: 'browser' },
    conditions: ['source'],
    tsconfigRaw: {},
  });
  script = outputFiles[0]?.text ?? '';
  large = largeModel(11);
  server = await serve(({ url, method = '' }, response) => {
    if (url === '/w.bin') {
      requests.push(method);
      response.end(method === 'HEAD' ? undefined : weights);
      return;
    }
    if (!url?.endsWith('.onnx')) {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html>');
      return;
    }
    requests.push(method);
    const models: Readonly<Record<string, Uint8Array>> = { '/large.onnx': large, '/beside.onnx': BESIDE };
    const model = models[url] ?? SERVED_MODEL;
    const page = url === '/page.onnx' ? new TextEncoder().encode('<!doctype html>') : model;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('content-length', page.length);
    response.end(method === 'HEAD' ? undefined : page);
  });
  browser = await launchChromium({ webgpu: 'swiftshader' });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});
beforeEach(async () => {
  context = await browser.newContext();
  requests = [];
  headers = {};
});
afterEach(() => context.close());

async function open(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(server.origin);
  await page.addScriptTag({ content: script });
  return page;
}

interface Loaded {
  readonly value: number;
  readonly read: readonly (readonly [number, number])[];
  readonly error?: string;
}

/** Loads a model and runs it on ones; the last value of `y`, and what was told of reading. */
function load(page: Page, path: string, cache: boolean | string): Promise<Loaded> {
  return page.evaluate(
    async ([path, cache]) => {
      const { InferenceSession, Tensor } = (
        globalThis as unknown as { onegpu: typeof import('../src/index.ts') }
      ).onegpu;
      const read: (readonly [number, number])[] = [];
      try {
        const session = await InferenceSession.create(new URL(path, location.href), {
          cache,
          onProgress: ({ stage, done, total }) => stage === 'read' && read.push([done, total]),
        });
        const [{ name, dims } = { name: '', dims: [] }] = session.inputs;
        const extents = (dims ?? []).map(Number);
        const ones = new Float32Array(extents.reduce((product, extent) => product * extent, 1)).fill(1);
        const { y } = await session.run({ [name]: new Tensor('float32', ones, extents) });
        await session.release();
        return { value: Number(y?.data.at(-1)), read };
      } catch (error) {
        return { value: Number.NaN, read, error: String(error) };
      }
    },
    [path, cache] as const,
  );
}

describe('with a cache a model', () => {
  it('is sent once, and asked after as long as the server marks it', async () => {
    headers = { etag: '"one"' };
    expect(await load(await open(), '/a.onnx', true)).toMatchObject({ value: 1000 });
    expect(requests).toEqual(['GET']);
    const again = await load(await open(), '/a.onnx', true);
    expect(again.value).toBe(1000);
    expect(again.read.at(-1)).toEqual([SERVED_MODEL.length, SERVED_MODEL.length]);
    expect(requests).toEqual(['GET', 'HEAD']);
    headers = { etag: 'W/"one"' };
    await load(await open(), '/a.onnx', true);
    expect(requests).toEqual(['GET', 'HEAD', 'HEAD']);
    headers = { etag: '"two"' };
    await load(await open(), '/a.onnx', true);
    await load(await open(), '/a.onnx', 'mine');
    expect(requests.slice(3)).toEqual(['HEAD', 'GET', 'GET']);
    const page = await open();
    expect((await page.evaluate(() => caches.keys())).sort()).toEqual(['mine', 'onegpu-models']);
  });

  it('is known by its address where the server does not mark it', async () => {
    await load(await open(), '/b.onnx', true);
    expect(await load(await open(), '/b.onnx', true)).toMatchObject({ value: 1000 });
    expect(requests).toEqual(['GET']);
  });

  it('loads without it, with a warning, where there is no room', async () => {
    const page = await open();
    const lines: string[] = [];
    page.on('console', (message) => lines.push(message.text()));
    const client = await context.newCDPSession(page);
    await client.send('Storage.overrideQuotaForOrigin', { origin: server.origin, quotaSize: 100 });
    expect(await load(page, '/c.onnx', true)).toMatchObject({ value: 1000 });
    expect(await load(page, '/c.onnx', true)).toMatchObject({ value: 1000 });
    expect(requests).toEqual(['GET', 'GET']);
    expect(lines).toEqual(
      [0, 1].map(() => expect.stringMatching(/^ModelCacheWarning: .*c\.onnx is not kept: .*quota/i)),
    );
  });

  it('that is none is not kept', async () => {
    const page = await open();
    expect((await load(page, '/page.onnx', true)).error).toMatch(/page\.onnx.*HTML/);
    expect((await load(page, '/page.onnx', true)).error).toMatch(/page\.onnx.*HTML/);
    expect(requests).toEqual(['GET', 'GET']);
  });

  it('keeps its data files once they hold its tensors', async () => {
    const page = await open();
    weights = new Uint8Array(7);
    expect((await load(page, '/beside.onnx', true)).error).toMatch(/w\.bin.*7 bytes/);
    weights = new Uint8Array(Float32Array.of(1, 2, 3).buffer);
    expect(await load(page, '/beside.onnx', true)).toMatchObject({ value: 4 });
    expect(await load(page, '/beside.onnx', true)).toMatchObject({ value: 4 });
    expect(requests).toEqual(['GET', 'GET', 'GET']);
  });

  it('is sent again where something else lies in its place', async () => {
    const page = await open();
    const put = async (path: string): Promise<void> => {
      const cache = await caches.open('onegpu-models');
      await cache.put(new URL(path, location.href), new Response('something else'));
    };
    await page.evaluate(put, '/d.onnx');
    expect(await load(page, '/d.onnx', true)).toMatchObject({ value: 1000 });
    expect(await load(page, '/d.onnx', true)).toMatchObject({ value: 1000 });
    expect(requests).toEqual(['GET']);
  });
});

it('holds less than 1.3 times a model of 104 MB', async () => {
  const page = await open();
  const client = await context.newCDPSession(page);
  const used = async (): Promise<number> => {
    const heap = await client.send('Runtime.getHeapUsage');
    const { usedSize, backingStorageSize = 0 } = heap as { usedSize: number; backingStorageSize?: number };
    return usedSize + backingStorageSize;
  };
  const before = await used();
  let peak = 0;
  let ended = false;
  const sampling = (async () => {
    while (!ended) peak = Math.max(peak, (await used()) - before);
  })();
  const loaded = await load(page, '/large.onnx', true);
  ended = true;
  await sampling;
  await client.send('HeapProfiler.collectGarbage');
  const held = (await used()) - before;
  expect(Number.isFinite(loaded.value)).toBe(true);
  expect(peak / large.length).toBeLessThan(1.3);
  expect(peak / large.length).toBeGreaterThan(0.9);
  expect(held / large.length).toBeLessThan(0.15);
});
