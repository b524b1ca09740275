/**
 * A headless Chromium out of `@sparticuz/chromium`, driven by playwright-core. The package unpacks itself into the
 * temporary folder once; its archive `al2023.tar.br` brings the few libraries a bare system lacks.
 */
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import chromium, { inflate } from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

export async function launchChromium(): Promise<Browser> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const archives = join(dirname(entry), '..', 'bin');
  const [executablePath] = await Promise.all([
    chromium.executablePath(),
    inflate(join(archives, 'al2023.tar.br')),
  ]);
  const { LD_LIBRARY_PATH = '', ...environment } = process.env;
  return playwright.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
    env: {
      ...definedOnly(environment),
      LD_LIBRARY_PATH: [join(tmpdir(), 'al2023', 'lib'), LD_LIBRARY_PATH].filter(Boolean).join(':'),
      FONTCONFIG_PATH: join(tmpdir(), 'fonts'),
    },
  });
}

function definedOnly(variables: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
