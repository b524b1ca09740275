/**
 * The user's cache in a browser, bundled as an application would bundle it, in a headless Chromium: here because this
 * package's tests have one. What a page keeps, another page of the same origin finds.
 */
import { fileURLToPath } from 'node:url';
import { launchChromium } from '@onegpu/testing/headless-chromium';
import { build } from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

interface CacheInPage {
  readonly cache: {
    cachedPlace(name: string): string | undefined;
    readCached(name: string): Promise<unknown>;
    readCachedText(name: string): Promise<string | undefined>;
    writeCached(name: string, value: unknown): Promise<boolean>;
    warnOfCache(name: string, text: string): void;
  };
}

let browser: Browser;
let script = '';
beforeAll(async () => {
  browser = await launchChromium();
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../core/src/user-cache.ts', import.meta.url))],
    ...{ bundle: true, write: false, format: 'iife', globalName: 'cache', platform: 'browser' },
    conditions: ['source'],
    tsconfigRaw: {},
  });
  script = outputFiles[0]?.text ?? '';
});
afterAll(() => browser?.close());

/** A page of an origin, with the bundle. */
async function open(context: BrowserContext, origin: string): Promise<Page> {
  const page = await context.newPage();
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await page.goto(origin);
  await page.addScriptTag({ content: script });
  return page;
}

it('keeps documents for the pages of an origin', async () => {
  const context = await browser.newContext();
  const first = await open(context, 'https://one.test/');
  expect(script).not.toContain('node:fs');
  const absent = () => (globalThis as unknown as CacheInPage).cache.readCached('a/b.json');
  expect(await first.evaluate(absent)).toBeUndefined();
  const write = () => (globalThis as unknown as CacheInPage).cache.writeCached('a/b.json', { x: [1] });
  expect(await first.evaluate(write)).toBe(true);

  const second = await open(context, 'https://one.test/other');
  const read = async () => {
    const { cache } = globalThis as unknown as CacheInPage;
    return [await cache.readCached('a/b.json'), cache.cachedPlace('a/b.json')];
  };
  expect(await second.evaluate(read)).toEqual([{ x: [1] }, 'browser cache "onegpu", a/b.json']);
  expect(await (await open(context, 'https://two.test/')).evaluate(absent)).toBeUndefined();
  await context.close();
});

it('is no error where a page may keep nothing, and warns by name', async () => {
  const context = await browser.newContext();
  const page = await open(context, 'http://insecure.test/');
  const lines: string[] = [];
  page.on('console', (message) => lines.push(message.text()));
  const work = async () => {
    const { cache } = globalThis as unknown as CacheInPage;
    cache.warnOfCache('TuningWarning', 'passed over');
    return [
      await cache.writeCached('a', 1),
      String(await cache.readCachedText('a')),
      String(cache.cachedPlace('a')),
    ];
  };
  expect(await page.evaluate(work)).toEqual([false, 'undefined', 'undefined']);
  expect(lines).toEqual(['TuningWarning: passed over']);
  await context.close();
});
