/** Models from addresses: bytes are told as they come, and what goes wrong on the way is named. */
import { gzipSync } from 'node:zlib';
import { type GpuDevice, InvalidInputError, InvalidModelError, LoadAbortedError } from '@onegpu/core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { download } from '../src/download.ts';
import { InferenceSession } from '../src/index.ts';
import { loadModel } from '../src/load-model.ts';
import type { LoadProgress } from '../src/load-progress.ts';
import { type ModelServer, SERVED_MODEL, serve } from './model-server.ts';

const HALF = SERVED_MODEL.length >> 1;

let server: ModelServer;
beforeAll(async () => {
  server = await serve(({ url }, response) => {
    const said = url !== '/unsaid.onnx' && url !== '/gzip.onnx';
    if (said) response.setHeader('content-length', SERVED_MODEL.length);
    if (url === '/gzip.onnx') {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(SERVED_MODEL));
      return;
    }
    response.write(SERVED_MODEL.subarray(0, HALF));
    if (url === '/stuck.onnx') return;
    if (url === '/cut.onnx') setTimeout(() => response.destroy(), 20);
    else setTimeout(() => response.end(SERVED_MODEL.subarray(HALF)), 20);
  });
});
afterAll(() => server.close());
afterEach(() => vi.restoreAllMocks());

function at(path: string): string {
  return `${server.origin}/${path}`;
}

async function read(path: string): Promise<readonly LoadProgress[]> {
  const reports: LoadProgress[] = [];
  const { graph } = await loadModel(at(path), { onProgress: (progress) => reports.push(progress) });
  expect(graph.constants.get('w')?.data[999]).toBe(999);
  return reports.filter(({ stage }) => stage === 'read');
}

/** `fetch` answers with this body, once. */
function answerWith(parts: readonly Uint8Array[], headers: Record<string, string>, type = 'basic'): void {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  const response = Object.defineProperty(new Response(body, { headers }), 'type', { value: type });
  vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(response);
}

const ADDRESS = new URL('https://models.test/a.onnx');
const PARTS = [SERVED_MODEL.subarray(0, HALF), SERVED_MODEL.subarray(HALF)];

describe('bytes are told as they come', () => {
  it('with the length that the server says, in one array', async () => {
    const reports = await read('said.onnx');
    expect(reports.map(({ total }) => total)).toEqual(reports.map(() => SERVED_MODEL.length));
    expect(reports.map(({ done }) => done)).toEqual([HALF, SERVED_MODEL.length]);
    const { bytes } = await download(new URL(at('said.onnx')));
    expect(bytes.buffer.byteLength).toBe(SERVED_MODEL.length);
  });

  it.each(['unsaid.onnx', 'gzip.onnx'])('without one: %s', async (path) => {
    const reports = await read(path);
    expect(reports.map(({ total }) => total)).toEqual(reports.map(() => 0));
    expect(reports.at(-1)?.done).toBe(SERVED_MODEL.length);
  });

  it.each([-100, 100])(
    'although another origin said %i bytes more: it may have compressed them',
    async (more) => {
      answerWith(PARTS, { 'content-length': String(SERVED_MODEL.length + more) }, 'cors');
      expect((await download(ADDRESS)).bytes).toEqual(SERVED_MODEL);
    },
  );
});

describe('an address is refused', () => {
  it('whose answer breaks off', async () => {
    const refused = loadModel(at('cut.onnx'));
    await expect(refused).rejects.toThrow(InvalidModelError);
    await expect(refused).rejects.toMatchObject({
      details: {
        subject: at('cut.onnx'),
        got: `the connection broke after ${HALF} bytes`,
        expected: `${SERVED_MODEL.length} bytes`,
      },
    });
  });

  it.each([
    [SERVED_MODEL.length + 7, `${SERVED_MODEL.length} bytes`],
    [SERVED_MODEL.length - 7, `at least ${SERVED_MODEL.length} bytes`],
  ])('whose answer says that it has %i bytes', async (said, got) => {
    answerWith(PARTS, { 'content-length': String(said) });
    await expect(download(ADDRESS)).rejects.toMatchObject({
      code: 'invalid-model',
      details: { subject: ADDRESS.href, got, expected: `${said} bytes, as its Content-Length says` },
    });
  });

  it('whose answer has no room', async () => {
    answerWith(PARTS, { 'content-length': '9000000000000000' });
    await expect(download(ADDRESS)).rejects.toThrow(/9000000000000000 bytes.*memory/);
  });

  it.each(['http://', 'http://a b/', 'file://elsewhere/a.onnx'])('that is none: %s', async (address) => {
    await expect(loadModel(address)).rejects.toThrow(InvalidModelError);
    await expect(loadModel(address)).rejects.toThrow(/not an address/);
  });

  it('that answers with an error or not at all', async () => {
    vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(
      new Response('', { status: 503, statusText: 'Busy' }),
    );
    await expect(download(ADDRESS)).rejects.toMatchObject({
      details: { subject: ADDRESS.href, got: 'HTTP 503 Busy', expected: 'HTTP 200 with the file' },
    });
    await expect(download(new URL('http://127.0.0.1:1/a.onnx'))).rejects.toThrow(/fetch failed: \S+/);
  });
});

describe('what is no part of a model', () => {
  it('is refused as that', async () => {
    const wrong: readonly [object, RegExp][] = [
      [{ signal: {} }, /SessionOptions\.signal.*an AbortSignal/],
      [{ onProgress: 5 }, /SessionOptions\.onProgress.*a function/],
      [{ externalData: 'w' }, /SessionOptions\.externalData/],
      [{ externalData: { w: 5 } }, /SessionOptions\.externalData\.w.*got number/],
    ];
    for (const [options, message] of wrong) {
      await expect(loadModel(SERVED_MODEL, options)).rejects.toThrow(InvalidInputError);
      await expect(loadModel(SERVED_MODEL, options)).rejects.toThrow(message);
    }
    for (const option of [
      { adapter: 'gpu' },
      { mode: 'exact' },
      { fusions: 'some' },
      { inputLayout: 'nhwc' },
    ]) {
      const refused = InferenceSession.create(SERVED_MODEL, option as object);
      await expect(refused).rejects.toThrow(/SessionOptions\.\w+: there is no such value \(got ".*expected/);
    }
    const withoutOptions = InferenceSession.create(SERVED_MODEL, null as unknown as object);
    await expect(withoutOptions).rejects.toThrow(/SessionOptions\.options.*got null/);
    const device = {} as GpuDevice;
    await expect(InferenceSession.create(SERVED_MODEL, { device })).rejects.toThrow(
      /device.*GpuDevice\.create/,
    );
  });

  it("is told as it is: an error of the listener's own, after which the rest is not sent", async () => {
    const mine = new RangeError('mine');
    const onProgress = () => {
      throw mine;
    };
    await expect(loadModel(at('stuck.onnx'), { onProgress })).rejects.toBe(mine);
  });
});

describe('a signal ends loading', () => {
  it('before it begins, without a request', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    const refused = InferenceSession.create(at('said.onnx'), { signal: AbortSignal.abort('enough') });
    await expect(refused).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
    expect(fetched).not.toHaveBeenCalled();
  });

  it('while bytes come', async () => {
    const stop = new AbortController();
    const onProgress = () => stop.abort();
    const refused = loadModel(at('stuck.onnx'), { signal: stop.signal, onProgress });
    await expect(refused).rejects.toThrow(LoadAbortedError);
    await expect(refused).rejects.toMatchObject({
      details: { subject: at('stuck.onnx'), got: `${HALF} of ${SERVED_MODEL.length} bytes` },
    });
  });

  it('while it compiles', async () => {
    const stop = new AbortController();
    const refused = InferenceSession.create(SERVED_MODEL, {
      dims: { x: [1000] },
      signal: stop.signal,
      onProgress: ({ stage }) => {
        if (stage === 'compile') stop.abort();
      },
    });
    await expect(refused).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('a cache is refused', () => {
  const cases: readonly (readonly [string, () => string | Uint8Array, string | true, RegExp])[] = [
    ['in Node.js', () => at('said.onnx'), true, /no Cache API/],
    ['without a name', () => at('said.onnx'), '', /no name/],
    ['for bytes', () => SERVED_MODEL, true, /http address/],
    ['for paths', () => '/models/a.onnx', 'mine', /http address/],
  ];

  it.each(cases)('%s', async (_, source, cache, message) => {
    const refused = loadModel(source(), { cache });
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toThrow(message);
  });
});
