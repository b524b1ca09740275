/**
 * A headless Chromium out of `@sparticuz/chromium`, driven by playwright-core. The package unpacks itself into the
 * temporary folder once; its archive `al2023.tar.br` brings the few libraries a bare system lacks, `swiftshader.tar.br`
 * a Vulkan driver and loader that Chromium finds beside its executable.
 */
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import chromium, { inflate } from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

export interface ChromiumOptions {
  /** `swiftshader`: WebGPU on the software adapter. Default: none. */
  readonly webgpu?: 'none' | 'swiftshader';
  /** Further command line switches. */
  readonly args?: readonly string[];
}

const WEBGPU_SWITCHES = {
  none: ['--disable-gpu'],
  swiftshader: [
    '--enable-unsafe-webgpu',
    '--use-webgpu-adapter=swiftshader',
    '--enable-features=Vulkan',
    // Video frames and canvases reach WebGPU as images that Chromium's own drawing shares: on SwiftShader's Vulkan too then.
    '--use-angle=swiftshader',
    '--use-vulkan=swiftshader',
  ],
};

export async function launchChromium({ webgpu = 'none', args = [] }: ChromiumOptions = {}): Promise<Browser> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const archives = join(dirname(entry), '..', 'bin');
  const [executablePath] = await Promise.all([
    chromium.executablePath(),
    inflate(join(archives, 'al2023.tar.br')),
    inflate(join(archives, 'swiftshader.tar.br')),
  ]);
  const { LD_LIBRARY_PATH = '', ...environment } = process.env;
  return playwright.launch({
    executablePath,
    args: ['--no-sandbox', '--font-render-hinting=none', ...WEBGPU_SWITCHES[webgpu], ...args],
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
