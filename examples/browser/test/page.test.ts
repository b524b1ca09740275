/** The page in a headless Chromium, on the software adapter: what it finds, what it says, what it leaves behind. */

import { readFile } from 'node:fs/promises';
import { detectText, type Picture, readPicture, resizePicture } from '@onegpu/cli';
import { InferenceSession } from '@onegpu/onnx';
import { ocrDetectionPath, signImagePath } from '@onegpu/test-models';
import { testDevice } from '@onegpu/testing';
import { launchChromium } from '@onegpu/testing/headless-chromium';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countGpuObjects, type GpuCounts } from './count-gpu-objects.ts';
import { type OpenedPage, openPage } from './open-page.ts';
import { type PageServer, servePage } from './page-server.ts';
import { smallModel, smallPicture, unsupportedModel } from './small-models.ts';
import { watchControls } from './watch-controls.ts';

/** Side of the picture that both runtimes get as it is. */
const SIDE = 320;
const MOST_PIXELS_APART = 1;

let server: PageServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([servePage(), launchChromium({ webgpu: 'swiftshader' })]);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

function pngOf({ width, height, data }: Picture): Promise<Uint8Array> {
  return sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

it('finds the boxes that are found in Node.js, and shows every row of the plan', async () => {
  const picture = await resizePicture(await readPicture(signImagePath()), { width: SIDE, height: SIDE });
  const { page, complaints, text, settled } = await openPage(browser, server, {
    picture: await pngOf(picture),
  });
  const found = await page
    .locator('#boxes .box')
    .evaluateAll((all) => all.map((box) => box.getAttribute('points') ?? ''));
  const points = found.map((line) => line.split(' ').map((point) => point.split(',').map(Number)));

  await using session = await InferenceSession.create(ocrDetectionPath(), { device: await testDevice() });
  const { boxes } = await detectText(session, picture);
  expect(boxes.length).toBeGreaterThan(3);
  expect(points).toHaveLength(boxes.length);
  boxes.forEach(({ corners }, index) => {
    corners.forEach(([x, y], corner) => {
      const [px = 0, py = 0] = points[index]?.[corner] ?? [];
      expect(Math.max(Math.abs(x - px), Math.abs(y - py))).toBeLessThanOrEqual(MOST_PIXELS_APART);
    });
  });
  expect(await text('#status')).toBe(`Found ${boxes.length} lines of text.`);

  const { steps } = await session.explain({ x: [1, 3, SIDE, SIDE] });
  expect(await page.locator('#layers .onegpu-marks rect').count()).toBe(steps.length);
  expect(await text('#roofline')).toContain('GFLOP/s');
  expect(await text('#adapter')).toContain('maxStorageBufferBindingSize');

  await page.locator('#show-heat').check();
  expect(await page.locator('#heat').isVisible()).toBe(true);

  // A profile is of what was run: another size has none yet.
  await page.locator('#size').selectOption({ index: 1 });
  await settled();
  expect(await page.locator('#profile-section').isVisible()).toBe(false);
  expect(complaints).toEqual([]);
  await page.close();
});

describe('with files of the user', () => {
  let opened: OpenedPage;
  beforeAll(async () => {
    opened = await openPage(browser, server, { bundled: 'none', before: countGpuObjects });
  });
  afterAll(() => opened?.page.close());
  const message = (): Promise<string> => opened.text('#error');

  it('waits for them', async () => {
    expect(await opened.text('#status')).toBe('Open an ONNX file to begin.');
  });

  it('says why a model does not load', async () => {
    await opened.open('model', 'broken.onnx', Uint8Array.of(1, 2, 3, 4, 5, 6, 7));
    expect(await message()).toContain('This model does not load: broken.onnx');
  });

  it('lists the nodes that are not supported', async () => {
    await opened.open('model', 'odd.onnx', unsupportedModel());
    expect(await message()).toContain('This model has unsupported nodes: odd.onnx');
    expect(await opened.text('#error-items')).toContain('Frobnicate “odd one”');
  });

  it('says that a file is no picture', async () => {
    await opened.open('image', 'notes.png', Uint8Array.of(1, 2, 3));
    expect(await message()).toContain('notes.png: the picture cannot be read');
  });

  it('says that an input is too large for the adapter', async () => {
    await opened.open('image', 'plain.png', await smallPicture());
    await opened.open('model', 'large.onnx', smallModel(30_000));
    expect(await message()).toContain('Too large for this adapter: large.onnx');
  });

  it('runs the next model, and leaves nothing behind in fifty runs', async () => {
    await opened.open('model', 'small.onnx', smallModel());
    expect(await opened.page.locator('#error').isVisible()).toBe(false);
    expect(await opened.text('#status')).toBe('A map of 24 × 24, channel 1 of 2.');
    const counts: GpuCounts[] = [];
    for (let run = 1; run <= 50; run++) {
      await opened.page.locator('#run').click();
      await opened.settled();
      if (run === 10 || run === 50) counts.push(await opened.page.evaluate(() => globalThis.gpuCounts));
    }
    const [early, late] = counts;
    expect(early?.buffers).toBeGreaterThan(0);
    expect(early?.bytes).toBeGreaterThan(0);
    expect(late).toEqual(early);
  });

  it('makes a new device when it is lost', async () => {
    await opened.page.evaluate(() => globalThis.gpuDevices.at(-1)?.destroy());
    await opened.page.locator('#error').waitFor();
    await opened.settled();
    expect(await message()).toContain('The GPU device was lost');
    expect(await opened.text('#status')).toBe('A new device was made. A map of 24 × 24, channel 1 of 2.');
    await opened.page.locator('#run').click();
    await opened.settled();
    expect(await opened.page.locator('#error').isVisible()).toBe(false);
  });

  it('takes what is dropped on it, and says what it cannot take', async () => {
    await opened.drop('notes.txt', 'text/plain', Uint8Array.of(1));
    expect(await message()).toContain('neither a model nor a picture');
    await opened.drop('other.onnx', '', smallModel(16));
    expect(await opened.page.locator('#error').isVisible()).toBe(false);
    expect(await opened.text('#status')).toBe('A map of 16 × 16, channel 1 of 2.');
  });

  it('profiles again and again, until told to stop', async () => {
    const { page } = opened;
    await page.locator('#live').click();
    await page.getByText('Profiling again and again').waitFor();
    const first = await page.locator('#layers svg').elementHandle();
    await page.waitForFunction((svg) => svg?.isConnected === false, first);
    await page.locator('#live').click();
    await opened.settled();
    expect(await page.locator('#live').getAttribute('aria-pressed')).toBe('false');
    expect(await opened.text('#status')).toBe('A map of 16 × 16, channel 1 of 2.');
  });

  it('says that there is no camera', async () => {
    await opened.page.locator('#camera').click();
    await opened.settled();
    expect(await message()).toContain('camera: none was found');
  });

  it('complains of nothing on the console', () => {
    expect(opened.complaints).toEqual([]);
  });
});

it('counts the frames of a camera', async () => {
  const before = (): void => {
    const canvas = document.createElement('canvas');
    canvas.getContext('2d');
    const stream = canvas.captureStream(30);
    Object.defineProperty(navigator, 'mediaDevices', { value: { getUserMedia: async () => stream } });
    setInterval(() => canvas.getContext('2d')?.fillRect(Math.random() * 200, 0, 20, 20), 30);
  };
  const opened = await openPage(browser, server, { bundled: 'none', before });
  await opened.open('model', 'small.onnx', smallModel());
  await opened.page.locator('#camera').click();
  await opened.page.getByText('frames a second').waitFor();
  expect(await opened.page.locator('#camera').getAttribute('aria-pressed')).toBe('true');
  await opened.page.locator('#camera').click();
  await opened.settled();
  expect(await opened.page.locator('#fps').isVisible()).toBe(false);
  expect(opened.complaints).toEqual([]);
  await opened.page.close();
});

describe('without WebGPU', () => {
  it.each([
    ['no navigator.gpu', () => Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined })],
    ['no adapter', () => Object.assign(GPU.prototype, { requestAdapter: async () => null })],
  ])('%s: says so and stays alive', async (_, before) => {
    const opened = await openPage(browser, server, { before, picture: await smallPicture() });
    expect(await opened.text('#error')).toContain('No GPU for this page');
    await opened.page.locator('#error-close').click();
    expect(await opened.page.locator('#error').isVisible()).toBe(false);
    await opened.page.locator('#run').click();
    await opened.page.locator('#error').waitFor();
    expect(opened.complaints).toEqual([]);
    await opened.page.close();
  });
});

it('tells the direction of a line', async () => {
  const { page, settled, text } = await openPage(browser, server, { picture: await smallPicture() });
  await page.unroute('**/pictures/*');
  await page.locator('#image').selectOption('One line, upside down');
  await page.locator('#model').selectOption('PP-OCR text direction');
  await settled();
  expect(await text('#model-note')).toContain('a single line of text');
  expect(await text('#status')).toBe('Likeliest of 2 classes: upside down.');
  await page.close();
});

describe('with a script that does not come', () => {
  it.each([
    ['operators', 'A part of the runtime did not load', '#run', '#boxes .box'],
    ['profiler', 'The part of this page that profiles did not load', '#profile', '#layers svg'],
  ])('%s: says so, and asks for it again', async (script, message, button, result) => {
    const missing = `**/assets/${script}-*.js*`;
    const { page, text, settled } = await openPage(browser, server, { missing });
    expect(await text('#error')).toContain('A part of this page is missing');
    expect(await text('#error')).toContain(message);
    await page.unroute(missing);
    await page.locator(button).click();
    await settled();
    expect(await page.locator('#error').isVisible()).toBe(false);
    expect(await page.locator(result).count()).toBeGreaterThan(0);
    await page.close();
  });

  it('says so where it is the first one', async () => {
    const page = await browser.newPage();
    await page.route('**/assets/index-*.js', (route) => route.abort());
    await page.goto(server.address);
    await page.getByText('The page’s script did not load: reload the page.').waitFor();
    await page.close();
  });
});

it('moves the bar forward only, and no control at all', async () => {
  const opened = await openPage(browser, server, { bundled: 'none', before: watchControls });
  await opened.open('image', 'plain.png', await smallPicture());
  await opened.open('model', 'small.onnx', smallModel());
  await opened.open('model', 'text.onnx', await readFile(ocrDetectionPath()));
  expect(await opened.text('#status')).toContain('of text.');
  const { bars, tops } = await opened.page.evaluate(() => globalThis.watched);
  expect(bars.length).toBeGreaterThan(2);
  for (const bar of bars) expect(bar).toEqual([...bar].sort((a, b) => a - b));
  expect(tops).toHaveLength(1);
  await opened.page.close();
});

it('fits a phone and works by keyboard', async () => {
  const phone = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;
  const opened = await openPage(browser, server, { bundled: 'none', ...phone });
  const { page } = opened;
  await opened.open('image', 'plain.png', await smallPicture());
  await opened.open('model', 'a-model-with-quite-a-long-name-indeed.onnx', smallModel());
  const reached: string[] = [];
  await page.locator('#model').focus();
  for (let step = 0; step < 8; step++) {
    reached.push(await page.evaluate(() => document.activeElement?.id ?? ''));
    await page.keyboard.press('Tab');
  }
  expect(reached).toEqual(['model', 'open-model', 'image', 'open-image', 'camera', 'run', 'profile', 'live']);
  await page.locator('#profile').focus();
  await page.keyboard.press('Enter');
  await page.locator('#profile-section').waitFor();
  await opened.settled();
  const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  expect(await page.evaluate(overflow)).toBe(0);
  expect(opened.complaints).toEqual([]);
  await page.close();
});
