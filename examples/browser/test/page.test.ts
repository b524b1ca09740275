/** The page in a headless Chromium, on the software adapter: what it finds, what it says, what it leaves behind. */

import { detectText, readPicture, resizePicture } from '@onegpu/cli';
import { InferenceSession } from '@onegpu/onnx';
import { ocrDetectionPath, signImagePath } from '@onegpu/test-models';
import { testDevice } from '@onegpu/testing';
import { launchChromium } from '@onegpu/testing/headless-chromium';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PageServer, servePage } from './page-server.ts';

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

it('finds the boxes that are found in Node.js', async () => {
  const picture = await resizePicture(await readPicture(signImagePath()), { width: SIDE, height: SIDE });
  const png = await sharp(picture.data, { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .png()
    .toBuffer();
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.route('**/pictures/sign.png', (route) => route.fulfill({ body: png, contentType: 'image/png' }));
  await page.goto(server.address);
  await page.locator('#main[aria-busy="false"]').waitFor();
  const found = await page
    .locator('#boxes polygon')
    .evaluateAll((all) => all.map((box) => box.getAttribute('points') ?? ''));
  await page.close();
  await using session = await InferenceSession.create(ocrDetectionPath(), { device: await testDevice() });
  const { boxes } = await detectText(session, picture);
  expect(boxes.length).toBeGreaterThan(3);
  expect(found).toHaveLength(boxes.length);
  const points = found.map((text) => text.split(' ').map((point) => point.split(',').map(Number)));
  boxes.forEach(({ corners }, index) => {
    corners.forEach(([x, y], corner) => {
      const [px = 0, py = 0] = points[index]?.[corner] ?? [];
      expect(Math.max(Math.abs(x - px), Math.abs(y - py))).toBeLessThanOrEqual(MOST_PIXELS_APART);
    });
  });
});
