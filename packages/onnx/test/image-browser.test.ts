/**
 * Pictures in a browser: bitmaps, canvases and video as feeds of a model, and results drawn from the GPU, in
 * a page and in a worker of it, on the software adapter of a headless Chromium.
 */
import { fileURLToPath } from 'node:url';
import { launchChromium } from '@onegpu/testing/headless-chromium';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildModel } from './model-builder.ts';

type Browser = Awaited<ReturnType<typeof launchChromium>>;
type Page = Awaited<ReturnType<Browser['newPage']>>;

/** Gives its input on the GPU, and its first channel. */
const MODEL = buildModel({
  inputs: { x: { dims: [1, 3, 'h', 'w'] } },
  outputs: ['y', 'first'],
  nodes: [
    { op: 'Relu', inputs: ['x'], outputs: ['y'] },
    { op: 'Split', inputs: ['y'], outputs: ['first', 'second', 'third'], attributes: { axis: 1 } },
  ],
});

/** Runs in the page and in the worker. Answers with what each source gave, and with the pixels that were drawn. */
const RUN = `
const run = async () => {
  const { InferenceSession, imageInput, drawTensor } = await import('https://one.test/onegpu.js');
  const session = await InferenceSession.create('https://one.test/model.onnx', {
    preferredOutputLocation: 'gpu-buffer',
  });
  const bytes = new Uint8ClampedArray(4 * 8 * 6);
  for (let i = 0; i < bytes.length; i++) bytes[i] = i % 4 === 3 ? 255 : (i * 37) % 256;
  const data = new ImageData(bytes, 8, 6);
  const canvas = new OffscreenCanvas(8, 6);
  canvas.getContext('2d').putImageData(data, 0, 0);
  const sources = { data, canvas, bitmap: await createImageBitmap(data), frame: new VideoFrame(canvas, { timestamp: 0 }) };
  if (typeof document !== 'undefined') {
    sources.element = document.createElement('canvas');
    sources.element.width = 8;
    sources.element.height = 6;
    sources.element.getContext('2d').putImageData(data, 0, 0);
  }
  const given = {};
  for (const [name, source] of Object.entries(sources)) {
    for (const [kind, options] of [['same', { std: 1 / 255 }], ['small', { width: 3, height: 2 }]]) {
      const { y, first } = await session.run({ x: imageInput(source, options) });
      given[name + ' ' + kind] = [...(await y.getData())];
      y.dispose();
      first.dispose();
    }
  }
  sources.frame.close();
  const refusals = [];
  const inPage = [];
  const refused = async (work) => {
    try { await work(); refusals.push('nothing'); } catch (error) { refusals.push(error.name + ' ' + error.message); }
  };
  await refused(() => session.run({ x: imageInput(sources.frame) }));
  await refused(() => imageInput(new OffscreenCanvas(0, 2)));
  const drawn = {};
  const { y, first } = await session.run({ x: imageInput(data) });
  const draw = async (name, tensor, options) => {
    const target = new OffscreenCanvas(16, 6);
    const drawing = drawTensor(tensor, target, options);
    const copy = new OffscreenCanvas(16, 6).getContext('2d', { willReadFrequently: true });
    copy.drawImage(target, 0, 0);
    await drawing;
    drawn[name] = [...copy.getImageData(0, 0, 16, 6).data];
  };
  await draw('rgb', y, {});
  await draw('gray', first, {});
  await draw('inverted', first, { range: [1, 0] });
  await draw('viridis', first, { colormap: 'viridis', range: [0, 0.5] });
  await refused(() => drawTensor(first, canvas));
  await refused(() => drawTensor(first, new OffscreenCanvas(0, 1)));
  const again = new OffscreenCanvas(16, 6);
  await drawTensor(first, again);
  again.getContext('webgpu').unconfigure();
  await drawTensor(first, again);
  const { device } = session;
  if (typeof document !== 'undefined') {
    const elsewhere = new Image();
    elsewhere.src = 'https://two.test/picture.svg';
    await elsewhere.decode();
    const { buffers } = device.memory;
    for (let count = 0; count < 5; count++)
      await session.run({ x: imageInput(elsewhere) }).catch(({ name, message }) => (inPage[0] = name + ' ' + message));
    inPage.push(device.memory.buffers - buffers);
    const given = document.createElement('canvas');
    given.transferControlToOffscreen();
    await drawTensor(first, given).catch(({ name, message }) => inPage.push(name + ' ' + message));
  }
  y.dispose();
  first.dispose();
  await refused(() => drawTensor(first, new OffscreenCanvas(1, 1)));
  await session.release();
  return { bytes: [...bytes], given, drawn, refusals, inPage, memory: device.memory };
};`;

interface Ran {
  readonly bytes: readonly number[];
  readonly given: Readonly<Record<string, readonly number[]>>;
  readonly drawn: Readonly<Record<string, readonly number[]>>;
  readonly refusals: readonly string[];
  /** Of sources and canvases that workers have none of, and buffers that were left by them. */
  readonly inPage: readonly unknown[];
  readonly memory: { readonly buffers: number; readonly bytes: number };
}

let browser: Browser;
let script = '';
beforeAll(async () => {
  const source = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
  const bundled = await build({
    stdin: {
      contents: `export * from ${source('../src/index.ts')}; export * from ${source('../src/image/index.ts')};`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    ...{ bundle: true, write: false, format: 'esm', platform: 'browser' },
    conditions: ['source'],
    tsconfigRaw: {},
  });
  script = bundled.outputFiles[0]?.text ?? '';
  browser = await launchChromium({ webgpu: 'swiftshader' });
});
afterAll(() => browser?.close());

async function open(complaints: string[]): Promise<Page> {
  const page = await browser.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  const files: Readonly<Record<string, { contentType: string; body: string | Buffer }>> = {
    '/': { contentType: 'text/html', body: '<!doctype html><link rel="icon" href="data:,"><body>' },
    '/onegpu.js': { contentType: 'text/javascript', body: script },
    '/worker.js': { contentType: 'text/javascript', body: `${RUN}\nrun().then(postMessage);` },
    '/picture.svg': {
      contentType: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><rect width="4" height="4"/></svg>',
    },
    '/model.onnx': { contentType: 'application/octet-stream', body: Buffer.from(MODEL) },
  };
  await page.route('**/*', (route) =>
    route.fulfill(files[new URL(route.request().url()).pathname] ?? { status: 404 }),
  );
  await page.goto('https://one.test/');
  return page;
}

async function inPage(text: string): Promise<{ readonly ran: Ran; readonly complaints: readonly string[] }> {
  const complaints: string[] = [];
  const page = await open(complaints);
  const ran: Ran = await page.evaluate(text);
  await page.close();
  return { ran, complaints };
}

it.each([
  ['a page', `(async () => { ${RUN} return run(); })()`],
  [
    'a worker',
    `new Promise((resolve, reject) => {
       const worker = new Worker('/worker.js', { type: 'module' });
       worker.onmessage = ({ data }) => resolve(data);
       worker.onerror = (event) => reject(new Error(event.message));
     })`,
  ],
])('feeds and draws pictures in %s', async (_, text) => {
  const { ran, complaints } = await inPage(text);
  // Chromium warns of what it then throws.
  expect(complaints.filter((text) => !text.startsWith('CopyExternalImageToTexture()'))).toEqual([]);
  const plane = (channel: number) => ran.bytes.filter((_, index) => index % 4 === channel);
  const planes = [0, 1, 2].flatMap(plane);
  for (const [name, values] of Object.entries(ran.given)) {
    if (name.endsWith('small')) expect([name, values]).toEqual([name, ran.given['data small']]);
    else expect([name, values]).toEqual([name, planes]);
  }
  const pixels = (color: (pixel: number) => readonly number[]) =>
    Array.from({ length: 96 }, (_, at) => [
      ...color(Math.floor(at / 16) * 8 + Math.floor((at % 16) / 2)),
      255,
    ]).flat();
  const red = plane(0);
  const level = (pixel: number): number => red[pixel] ?? -1;
  expect(ran.drawn.rgb).toEqual(pixels((pixel) => ran.bytes.slice(4 * pixel, 4 * pixel + 3)));
  expect(ran.drawn.gray).toEqual(pixels((pixel) => new Array(3).fill(level(pixel))));
  expect(ran.drawn.inverted).toEqual(pixels((pixel) => new Array(3).fill(255 - level(pixel))));
  const above = level(40) > 127.5 ? 40 : 41;
  const { viridis = [] } = ran.drawn;
  const at = 4 * (Math.floor(above / 8) * 16 + (above % 8) * 2);
  expect(viridis.slice(at, at + 4)).toEqual([0xfd, 0xe7, 0x25, 255]);
  expect(ran.refusals).toEqual([
    expect.stringMatching(/InvalidInputError imageInput\.source: the source holds no picture/),
    expect.stringMatching(/InvalidInputError .*0 x 2/),
    expect.stringMatching(/GpuUnavailableError drawTensor\.canvas.*OffscreenCanvas/),
    expect.stringMatching(/InvalidInputError drawTensor\.canvas.*0 x 1/),
    expect.stringMatching(/InvalidInputError .*disposed of/),
  ]);
  if (ran.inPage.length > 0) {
    expect(ran.inPage).toEqual([
      expect.stringMatching(/InvalidInputError imageInput\.source: .*HTMLImageElement: .*CORS/),
      0,
      expect.stringMatching(/GpuUnavailableError drawTensor\.canvas.*HTMLCanvasElement: /),
    ]);
  }
  expect(ran.memory).toEqual({ buffers: 0, bytes: 0 });
});

/** A video of one colour, streamed from a canvas through the model onto another canvas. */
const STREAM = `(async () => {
  const { InferenceSession, imageInput, drawTensor } = await import('https://one.test/onegpu.js');
  const add = (tag, size = {}) => document.body.appendChild(Object.assign(document.createElement(tag), size));
  const [painted, shown, video] = [add('canvas', { width: 64, height: 48 }), add('canvas'), add('video', { muted: true })];
  shown.id = 'shown';
  const context = painted.getContext('2d');
  const paint = () => {
    context.fillStyle = 'rgb(200, 100, 50)';
    context.fillRect(0, 0, 64, 48);
  };
  paint();
  const timer = setInterval(paint, 20);
  const session = await InferenceSession.create('https://one.test/model.onnx', {
    preferredOutputLocation: 'gpu-buffer',
  });
  let empty = 'taken';
  try { imageInput(video); } catch (error) { empty = error.name; }
  video.srcObject = painted.captureStream(30);
  await video.play();
  async function* frames() {
    for (let count = 0; count < 12; count++) {
      await new Promise((resolve) => video.requestVideoFrameCallback(resolve));
      yield { x: imageInput(video, { std: 1 / 255, width: 32, height: 24 }) };
    }
  }
  const colors = [];
  const buffers = [];
  for await (const { y, first } of session.runMany(frames())) {
    await drawTensor(y, shown, { range: [0, 255] });
    colors.push([...(await y.getData())].filter((_, index) => index % (32 * 24) === 0).join());
    y.dispose();
    first.dispose();
    buffers.push(session.device.memory.buffers);
  }
  clearInterval(timer);
  const image = new Image();
  image.src = painted.toDataURL();
  await image.decode();
  const { y, first } = await session.run({ x: imageInput(image, { std: 1 / 255, width: 1, height: 1 }) });
  colors.push([...(await y.getData())].join());
  return { empty, colors, buffers };
})()`;

interface Streamed {
  readonly empty: string;
  readonly colors: readonly string[];
  readonly buffers: readonly number[];
}

it('runs on a video, shows it, and holds no more with every frame', async () => {
  const complaints: string[] = [];
  const page = await open(complaints);
  const { empty, colors, buffers }: Streamed = await page.evaluate(STREAM);
  expect(empty).toBe('InvalidInputError');
  expect(colors).toEqual(new Array(13).fill('200,100,50'));
  expect(Math.max(...buffers.slice(6))).toBeLessThanOrEqual(Math.max(...buffers.slice(0, 6)));
  const picture = (await page.locator('#shown').screenshot()).toString('base64');
  const pixel = await page.evaluate(`(async () => {
    const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,${picture}')).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return [...context.getImageData(bitmap.width / 2, bitmap.height / 2, 1, 1).data];
  })()`);
  expect(pixel).toEqual([200, 100, 50, 255]);
  expect(complaints).toEqual([]);
  await page.close();
});
