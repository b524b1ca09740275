/** The page opened in a browser for a test: what it complains about, and how files are given to it. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { PageServer } from './page-server.ts';

export interface OpenedPage {
  readonly page: Page;
  /** Console messages and uncaught errors. */
  readonly complaints: readonly string[];
  /** Resolves when the page has nothing left to do. */
  settled(): Promise<void>;
  text(selector: string): Promise<string>;
  open(kind: 'model' | 'image', name: string, bytes: Uint8Array): Promise<void>;
  /** Drops a file on the page. */
  drop(name: string, type: string, bytes: Uint8Array): Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  /** `none`: the page finds nothing bundled, and waits. Default `all`. */
  readonly bundled?: 'all' | 'none';
  /** Runs in the page before anything of its own. */
  readonly before?: () => void;
  /** Bytes in place of the bundled picture. */
  readonly picture?: Uint8Array;
  /** Pattern of addresses that cannot be reached. */
  readonly missing?: string;
}

export async function openPage(
  browser: Browser,
  server: PageServer,
  { bundled = 'all', before, picture, missing, ...options }: OpenOptions = {},
): Promise<OpenedPage> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  if (before !== undefined) await page.addInitScript(before);
  if (bundled === 'none') {
    await page.route('**/bundled.json', (route) => route.fulfill({ json: { models: [], pictures: [] } }));
  }
  if (missing !== undefined) await page.route(missing, (route) => route.abort());
  if (picture !== undefined) {
    const body = Buffer.from(picture);
    await page.route('**/pictures/*', (route) => route.fulfill({ body, contentType: 'image/png' }));
  }
  await page.goto(server.address);
  const settled = () => page.locator('#result[aria-busy="false"]').waitFor();
  await settled();
  return {
    page,
    complaints,
    settled,
    text: async (selector) => (await page.locator(selector).textContent()) ?? '',
    async open(kind, name, bytes) {
      const mimeType = kind === 'image' ? 'image/png' : 'application/octet-stream';
      await page.locator(`#${kind}-file`).setInputFiles({ name, mimeType, buffer: Buffer.from(bytes) });
      await settled();
    },
    async drop(name, type, bytes) {
      await page.evaluate(dropFile, { name, type, values: [...bytes] });
      await settled();
    },
  };
}

/** Runs in the page. */
function dropFile({ name, type, values }: { name: string; type: string; values: number[] }): void {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([Uint8Array.from(values)], name, { type }));
  for (const event of ['dragover', 'drop']) {
    document.body.dispatchEvent(new DragEvent(event, { dataTransfer, bubbles: true, cancelable: true }));
  }
}
