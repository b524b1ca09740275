/** Models from paths, addresses and bytes, with data files beside them; and what happens when they are not there. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ErrorDetails, InvalidInputError, InvalidModelError } from '@onegpu/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadModel } from '../src/load-model.ts';
import type { LoadProgress } from '../src/load-progress.ts';
import { openModelSource as openInBrowser } from '../src/model-source.browser.ts';
import { Tensor } from '../src/tensor.ts';
import { buildModel, encodeModel, modelProto } from './model-builder.ts';

const WEIGHTS = new Uint8Array(new Float32Array([1, 2, 3]).buffer);

const PLAIN = buildModel({
  inputs: { x: { dims: [3] } },
  outputs: ['y'],
  nodes: [{ op: 'Identity', inputs: ['x'], outputs: ['y'] }],
  initializers: { w: new Tensor('float32', [1, 2, 3]) },
});

function withExternalData(location: string): Uint8Array {
  const proto = modelProto({ outputs: ['w'] });
  const externalData = [{ key: 'location', value: location }];
  const w = { name: 'w', dims: [3], dataType: 1, dataLocation: 1, externalData };
  return encodeModel({ ...proto, graph: { ...proto.graph, initializer: [w] } });
}

let root = '';
let folder = '';
let server: Server;
let address = '';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'onegpu-'));
  folder = join(root, 'model');
  await mkdir(join(folder, 'data'), { recursive: true });
  await writeFile(join(folder, 'plain.onnx'), PLAIN);
  await writeFile(join(folder, 'external.onnx'), withExternalData('data/w a.bin'));
  await writeFile(join(folder, 'data', 'w a.bin'), WEIGHTS);
  await writeFile(join(folder, 'missing.onnx'), withExternalData('absent.bin'));
  await writeFile(join(root, 'outside.bin'), WEIGHTS);
  await symlink(join(root, 'outside.bin'), join(folder, 'link.bin'));
  await writeFile(join(folder, 'linked.onnx'), withExternalData('link.bin'));
  await writeFile(join(folder, 'empty.onnx'), '');
  const files = new Map([
    ['/m/plain.onnx', PLAIN],
    ['/m/external.onnx', withExternalData('data/w a.bin')],
    ['/m/data/w%20a.bin', WEIGHTS],
    ['/m/page.onnx', new TextEncoder().encode('<!doctype html><p>Sign in')],
  ]);
  server = createServer((request, response) => {
    const body = files.get(request.url ?? '');
    response.statusCode = body === undefined ? 404 : 200;
    if (body !== undefined) response.setHeader('content-length', body.length);
    response.end(body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/m/`;
});

afterAll(async () => {
  await new Promise((resolve) => {
    server.close(resolve);
  });
  await rm(root, { recursive: true });
});

async function weightsOf(input: Parameters<typeof loadModel>[0]): Promise<unknown> {
  return (await loadModel(input)).graph.constants.get('w')?.data;
}

async function refusalOf(loading: Promise<unknown>): Promise<InvalidModelError> {
  const answer: unknown = await loading.catch((error: unknown) => error);
  if (answer instanceof InvalidModelError) return answer;
  throw new Error(`no refusal: ${answer}`);
}

describe('loadModel', () => {
  it('reads paths, file URLs, addresses and bytes', async () => {
    const path = join(folder, 'plain.onnx');
    const inputs = [path, pathToFileURL(path), pathToFileURL(path).href, `${address}plain.onnx`, PLAIN];
    const buffer = PLAIN.buffer as ArrayBuffer;
    for (const input of [...inputs, new URL(`${address}plain.onnx`), buffer]) {
      expect(await weightsOf(input)).toEqual(new Float32Array([1, 2, 3]));
    }
  });

  it('reads data files beside the model, or takes those given', async () => {
    expect(await weightsOf(join(folder, 'external.onnx'))).toEqual(new Float32Array([1, 2, 3]));
    expect(await weightsOf(`${address}external.onnx`)).toEqual(new Float32Array([1, 2, 3]));
    const given = await loadModel(withExternalData('w.bin'), { externalData: { 'w.bin': WEIGHTS } });
    expect(given.graph.constants.get('w')?.data).toEqual(new Float32Array([1, 2, 3]));
    for (const [location, name] of [
      ['./w.bin', 'w.bin'],
      ['w.bin', './w.bin'],
      ['./toString', './toString'],
    ] as const) {
      const { graph } = await loadModel(withExternalData(location), { externalData: { [name]: WEIGHTS } });
      expect(graph.constants.get('w')?.data).toEqual(new Float32Array([1, 2, 3]));
    }
  });

  it('reports progress', async () => {
    const reports: LoadProgress[] = [];
    await loadModel(`${address}plain.onnx`, { onProgress: (progress) => reports.push(progress) });
    expect(reports.filter((report) => report.stage === 'read').at(-1)).toEqual({
      stage: 'read',
      done: PLAIN.length,
      total: PLAIN.length,
    });
    expect(reports.at(-1)).toEqual({ stage: 'import', done: 1, total: 1 });
  });

  it('resolves relative addresses against the page in browsers', async () => {
    const scope = globalThis as { location?: { href: string } };
    scope.location = { href: address };
    try {
      expect(await openInBrowser('plain.onnx').read()).toEqual(PLAIN);
    } finally {
      delete scope.location;
    }
    expect(() => openInBrowser('plain.onnx')).toThrow(/not an address/);
  });
});

describe('loadModel refuses', () => {
  const refusals: readonly (readonly [string, () => Parameters<typeof loadModel>[0], RegExp])[] = [
    ['a missing file', () => join(folder, 'absent.onnx'), /absent\.onnx.*no such file/],
    ['a folder', () => folder, /a folder/],
    ['an empty file', () => join(folder, 'empty.onnx'), /empty\.onnx.*the file is empty/],
    ['a missing data file', () => join(folder, 'missing.onnx'), /absent\.bin.*no such file/],
    ['a data file behind a link that leaves the folder', () => join(folder, 'linked.onnx'), /link\.bin/],
    ['data files for bytes', () => withExternalData('w.bin'), /w\.bin.*externalData/],
    [
      'data files beside an address without folders',
      () =>
        `data:application/octet-stream;base64,${Buffer.from(withExternalData('w.bin')).toString('base64')}`,
      /w\.bin.*a data: address, which has no folder.*externalData/,
    ],
    ['an address that is not there', () => `${address}absent.onnx`, /HTTP 404/],
    ['a server that is not there', () => 'http://127.0.0.1:1/model.onnx', /cannot be read/],
    ['a page instead of a model', () => `${address}page.onnx`, /page\.onnx.*HTML/],
  ];

  it.each(refusals)('%s', async (_, input, message) => {
    await expect(loadModel(input())).rejects.toThrow(InvalidModelError);
    await expect(loadModel(input())).rejects.toThrow(message);
  });
});

describe('what is wrong with a model', () => {
  const inner: readonly (readonly [string, Uint8Array, ErrorDetails])[] = [
    [
      'a data file outside the folder',
      withExternalData('../w.bin'),
      {
        subject: 'tensor "w"',
        field: 'external_data.location',
        got: '"../w.bin"',
        expected: 'the relative path of a file, without ".."',
      },
    ],
    [
      'a data file that is too short',
      withExternalData('short.bin'),
      {
        subject: 'tensor "w"',
        field: 'external_data',
        got: '"short.bin" of 4 bytes',
        expected: '12 bytes at 0',
      },
    ],
    ['no graph', new Uint8Array([8, 8]), { subject: 'model', field: 'graph', got: 'nothing' }],
  ];

  it.each(inner)('%s: a named file comes before the subject, once', async (_, bytes, details) => {
    const short = new Uint8Array(4);
    const plain = await refusalOf(loadModel(bytes, { externalData: { 'short.bin': short } }));
    expect(plain.details).toEqual(details);
    const path = join(folder, 'broken.onnx');
    await writeFile(path, bytes);
    await writeFile(join(folder, 'short.bin'), short);
    const named = await refusalOf(loadModel(path));
    expect(named.details).toEqual({ ...details, subject: `${path}: ${details.subject}` });
    expect(named.message).toBe(`${path}: ${plain.message}`);
    expect(named.cause).toMatchObject({ message: plain.message });
  });

  it('as a whole is told of the file or the address alone, with its remedy', async () => {
    const { details, message } = await refusalOf(loadModel(`${address}page.onnx`));
    expect(details).toEqual({
      subject: `${address}page.onnx`,
      got: 'an HTML or XML page',
      expected: 'a serialised ModelProto (.onnx)',
      remedy: expect.stringMatching(/the address of the file itself/),
    });
    for (const words of [address, 'not an ONNX model', 'an HTML or XML page', 'expected']) {
      expect(message.split(words)).toHaveLength(2);
    }
  });
});

describe('loadModel takes bytes', () => {
  it('of any view over them', async () => {
    const copy = new Uint8Array(PLAIN.length + 8);
    copy.set(PLAIN, 8);
    const view = new DataView(copy.buffer, 8);
    expect(await weightsOf(view as unknown as Uint8Array)).toEqual(new Float32Array([1, 2, 3]));
  });

  it.each([undefined, null, 5, {}, [1, 2]])('and not %s', async (input) => {
    await expect(loadModel(input as unknown as Uint8Array)).rejects.toThrow(InvalidInputError);
  });
});
