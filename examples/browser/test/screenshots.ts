/**
 * Pictures of the page for the documentation, on the software adapter, written to `docs`:
 * `node --conditions=source --import tsx examples/browser/test/screenshots.ts`
 */
import { fileURLToPath } from 'node:url';
import { launchChromium } from '@onegpu/testing/headless-chromium';
import type { BrowserContextOptions } from 'playwright-core';
import sharp from 'sharp';
import { servePage } from './page-server.ts';

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));
const LAPTOP = { viewport: { width: 1280, height: 1240 } };
/** Enough to tell the picture's colours apart; the files stay small. */
const COLOURS = 128;

const SHOTS: Readonly<Record<string, BrowserContextOptions>> = {
  'demo-light': { ...LAPTOP, colorScheme: 'light' },
  'demo-dark': { ...LAPTOP, colorScheme: 'dark' },
  'demo-phone': { viewport: { width: 390, height: 1500 }, colorScheme: 'light' },
};

const [server, browser] = await Promise.all([servePage(), launchChromium({ webgpu: 'swiftshader' })]);
try {
  for (const [name, options] of Object.entries(SHOTS)) {
    const page = await browser.newPage(options);
    await page.goto(server.address);
    await page.locator('#boxes .box').first().waitFor();
    await page.locator('#result[aria-busy="false"]').waitFor();
    const file = `${DOCS}${name}.png`;
    const { size } = await sharp(await page.screenshot())
      .png({ palette: true, colours: COLOURS, effort: 10, dither: 0 })
      .toFile(file);
    console.log(`${file}: ${size} bytes`);
    await page.close();
  }
} finally {
  await browser.close();
  await server.close();
}
