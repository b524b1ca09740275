/**
 * The packages as a user gets them: arrows between them point one way, and what `npm run build` writes loads in
 * plain Node, without the `source` condition and without a TypeScript loader.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { buildOrder, buildPackages, readPackages } from './build.mjs';
import { LIMIT } from './size.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const packages = readPackages(ROOT);

describe('arrows between packages', () => {
  it('have no cycle', () => {
    expect(buildOrder(packages)).toHaveLength(packages.length);
  });

  it.each(packages)(
    '$name imports what it depends on, and nothing else of the workspace',
    ({ name, folder, dependencies }) => {
      const names = new Set(packages.map((entry) => entry.name));
      const imported = sourceFiles(join(folder, 'src')).flatMap((file) => importsOf(file));
      const stray = imported.filter(
        (entry) => names.has(entry) && entry !== name && !dependencies.includes(entry),
      );
      expect([...new Set(stray)]).toEqual([]);
    },
  );
});

describe('the build', () => {
  it('loads in plain Node, and the command runs', async () => {
    expect(await buildPackages(ROOT)).toBe(0);
    const entries = packages.map(({ folder }) => join(folder, 'dist', 'index.js'));
    entries.push(join(ROOT, 'packages', 'onnx', 'dist', 'ort', 'index.js'));
    const imports = entries.map((entry) => `await import(${JSON.stringify(pathToFileURL(entry))});`);
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', imports.join('\n')]);
    await expect(run).resolves.toMatchObject({ stderr: '' });

    const main = join(ROOT, 'packages', 'cli', 'dist', 'main.js');
    const { stdout } = await promisify(execFile)(process.execPath, [main, '--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\s$/);
  });

  it.each([
    ['@onegpu/onnx', false],
    ['@onegpu/onnx/full', true],
    ['@onegpu/onnx/ort', true],
    ['@onegpu/onnx/tools', true],
  ])('bundles for browsers: %s', async (entry, full) => {
    const contents = `import * as all from '${entry}'; globalThis.all = all;`;
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: join(ROOT, 'packages', 'cli') },
      ...{
        bundle: true,
        write: false,
        format: 'esm',
        platform: 'browser',
        minify: true,
        legalComments: 'none',
      },
      alias: { 'onnxruntime-common': join(ROOT, 'packages', 'onnx', 'node_modules', 'onnxruntime-common') },
    });
    const [{ contents: bundle, text }] = outputFiles;
    expect(text.includes('DequantizeLinear"') && text.includes('opType:"LRN"')).toBe(full);
    if (!full) expect(gzipSync(bundle, { level: 9 }).byteLength).toBeLessThanOrEqual(LIMIT);
  });
});

/** Shipped sources; tests may import the harness and the test models. */
function sourceFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((entry) => entry.endsWith('.ts') && !entry.endsWith('.test.ts'))
    .map((entry) => join(folder, entry));
}

function importsOf(file) {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(@onegpu\/[a-z-]+)/g)].map((match) => match[1]);
}
