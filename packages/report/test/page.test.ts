/**
 * The report as a reader sees it: opened from a file in a headless Chromium, of a real profile on the software adapter
 * and of made-up ones. No test of speed: the time to open is printed.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GpuDevice } from '@onegpu/core';
import { InferenceSession, type ProfileReport, Tensor } from '@onegpu/onnx';
import { convLayerModel } from '@onegpu/test-models';
import { launchChromium } from '@onegpu/testing/headless-chromium';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { htmlReport } from '../src/html-report.ts';
import { fixtureReport } from './fixture-report.ts';

let folder = '';
let browser: Browser;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onegpu-page-'));
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Opened {
  readonly page: Page;
  /** Console messages, errors and requests other than the page itself. */
  readonly complaints: readonly string[];
}

async function open(report: ProfileReport, options: BrowserContextOptions = {}): Promise<Opened> {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.html`);
  await writeFile(file, htmlReport(report, { title: 'model.onnx' }));
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
  const complaints: string[] = [];
  const url = pathToFileURL(file).href;
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (request.url() !== url && !request.url().startsWith('data:')) complaints.push(request.url());
  });
  await page.goto(url);
  return { page, complaints };
}

/** A convolution, timed on the software adapter. */
async function realProfile(): Promise<ProfileReport> {
  const device = await GpuDevice.create({ adapter: 'software' });
  try {
    const layer = { src: [1, 8, 13, 9], weights: [8, 8, 3, 3], strides: [1, 1], dilations: [1, 1] };
    const model = convLayerModel(
      { ...layer, pads: [1, 1, 1, 1], groups: 1 },
      new Float32Array(576).fill(0.5),
      new Float32Array(8),
    );
    await using session = await InferenceSession.create(model, { device });
    const [name = ''] = session.inputNames;
    return await session.profile(
      { [name]: new Tensor('float32', new Float32Array(936), layer.src) },
      { runs: 2 },
    );
  } finally {
    await device.disposeAsync();
  }
}

describe('the page of a real profile', () => {
  it('opens without an error or a request, a bar a row', async () => {
    const report = await realProfile();
    const { page, complaints } = await open(report);
    expect(await page.locator('#layers .onegpu-marks rect').count()).toBe(report.rows.length);
    expect(await page.locator('#rows tbody tr').count()).toBe(report.rows.length);
    for (const id of ['layers', 'roofline', 'operators', 'memory']) {
      expect(await page.locator(`#${id} svg`).count(), id).toBeGreaterThan(0);
    }
    expect(complaints).toEqual([]);
    await page.close();
  });
});

describe('the page of a network', () => {
  const report = fixtureReport({ ceilings: true });
  let opened: Opened;
  const texts = (selector: string): Promise<string[]> => opened.page.locator(selector).allTextContents();
  beforeAll(async () => {
    opened = await open(report);
  });
  afterAll(async () => {
    expect(opened.complaints).toEqual([]);
    await opened.page.close();
  });

  it('draws every chart, and tells how long it took to open', async () => {
    const times = await opened.page.evaluate(() => {
      const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
      const [drawn] = performance.getEntriesByName('onegpu-drawn');
      return { loaded: navigation?.domContentLoadedEventStart ?? 0, drawn: drawn?.startTime ?? 0 };
    });
    console.log(
      `charts drawn after ${times.drawn.toFixed(0)} ms, loaded after ${times.loaded.toFixed(0)} ms`,
    );
    expect(times.drawn).toBeGreaterThan(0);
    expect(await opened.page.locator('#layers .onegpu-marks rect').count()).toBe(report.rows.length);
    expect(await opened.page.locator('#memory .onegpu-marks rect').count()).toBe(report.rows.length * 3);
    expect(await opened.page.locator('#roofline .onegpu-marks circle').count()).toBe(
      report.rows.filter(({ gflops }) => gflops !== undefined).length,
    );
    expect((await texts('#roofline svg')).join()).toContain('float32 12.0 TFLOP/s');
  });

  it('shows the details of what is pointed at and lights its row in the table', async () => {
    const { page } = opened;
    await page.locator('#layers .onegpu-hits rect').nth(20).hover();
    expect(await page.locator('.onegpu-tooltip').textContent()).toContain('/layer20/block0/Conv');
    expect(await page.locator('tr.lit').getAttribute('data-row')).toBe('20');
    expect(await page.locator('#layers .onegpu-dim').count()).toBe(report.rows.length - 1);
    await page.locator('#operators .onegpu-hits rect').first().hover();
    expect(await page.locator('tr.lit').count()).toBe(29);
    await page.locator('h1').hover();
    expect(await page.locator('.onegpu-tooltip').isVisible()).toBe(false);
    expect(await page.locator('.onegpu-dim').count()).toBe(0);
  });

  it('sorts by a key on a heading, rows without a value last', async () => {
    const { page } = opened;
    const order = (): Promise<string[]> => texts('#rows tbody tr td:first-child');
    await page.getByRole('button', { name: 'GFLOP/s' }).focus();
    await page.keyboard.press('Enter');
    const wanted = [...report.rows].sort((a, b) => (b.gflops ?? -1) - (a.gflops ?? -1));
    expect(await order()).toEqual(wanted.map(({ index }) => String(index)));
    expect(await page.locator('th[aria-sort]').getAttribute('aria-sort')).toBe('descending');
    await page.keyboard.press('Enter');
    expect((await order())[0]).toBe(
      String(wanted.filter(({ gflops }) => gflops !== undefined).at(-1)?.index),
    );
    await page.getByRole('button', { name: '#' }).click();
    expect(await order()).toEqual(report.rows.map(({ index }) => String(index)));
  });

  it('filters by words, operator and fused part', async () => {
    const { page } = opened;
    const shown = page.locator('#shown');
    await page.locator('#filter').fill('layer20 conv');
    expect(await shown.textContent()).toBe('1 of 71 rows');
    await page.locator('#filter').fill('');
    await page.locator('#operator').selectOption('pool');
    expect(await shown.textContent()).toBe('14 of 71 rows');
    await page.locator('#operator').selectOption('');
    await page.getByRole('button', { name: 'residual' }).click();
    expect(await shown.textContent()).toBe('14 of 71 rows');
    await page.getByRole('button', { name: 'residual' }).click();
    expect(await shown.textContent()).toBe('71 rows');
  });

  it('walks the rows of a chart with the arrow keys', async () => {
    const { page } = opened;
    await page.locator('#layers svg').focus();
    for (const key of ['Home', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    expect(await page.locator('.onegpu-tooltip').textContent()).toContain('/layer2/block0/Conv');
    await page.keyboard.press('Enter');
    expect(await page.locator('tr.picked').getAttribute('data-row')).toBe('2');
  });
});

describe('the page elsewhere', () => {
  it('fits a phone, and follows its width', async () => {
    const { page, complaints } = await open(fixtureReport(), { viewport: { width: 390, height: 800 } });
    const overflow = (): Promise<number> =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(await overflow()).toBe(0);
    await page.setViewportSize({ width: 700, height: 390 });
    await page.waitForFunction(
      () => Number(document.querySelector('#layers svg')?.getAttribute('width')) > 500,
    );
    expect(await overflow()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('scrolls a chart wider than the window to the row that the keys reach', async () => {
    const { page } = await open(fixtureReport(), { viewport: { width: 240, height: 800 } });
    await page.locator('#layers svg').focus();
    const tooltip = page.locator('.onegpu-tooltip');
    const scrolled = (): Promise<number> => page.locator('#layers').evaluate((chart) => chart.scrollLeft);
    for (const [key, row, moved] of [
      ['End', /^70 /, true],
      ['ArrowLeft', /^69 /, true],
      ['Home', /^0 /, false],
    ] as const) {
      await page.keyboard.press(key);
      await tooltip.filter({ hasText: row }).waitFor();
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
      expect(await tooltip.isVisible()).toBe(true);
      expect((await scrolled()) > 0).toBe(moved);
    }
    await page.close();
  });

  it('says in words what was not measured', async () => {
    const { page, complaints } = await open(fixtureReport({ timed: false }), { colorScheme: 'dark' });
    expect(await page.locator('#layers').textContent()).toContain('offers no timestamps');
    expect(await page.locator('#memory svg').count()).toBe(1);
    expect(await page.locator('.host').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
    await page.close();
    const without = await open(fixtureReport());
    expect(await without.page.locator('#roofline').textContent()).toContain('onegpu bench --ceilings');
    await without.page.close();
  });

  it('takes a report without rows', async () => {
    const { page, complaints } = await open(fixtureReport({ rows: 0 }));
    expect(complaints).toEqual([]);
    await page.close();
  });
});
