import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import {
  ENTRY,
  FULL_ENTRY,
  FULL_LIMIT,
  formatSize,
  LIMIT,
  measureSize,
  partOf,
  reachedFiles,
  referencesIn,
  reportSize,
  sizeOptions,
} from './size.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** A folder with these files. */
function folderOf(files) {
  const folder = mkdtempSync(join(tmpdir(), 'size-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('the words of size', () => {
  it('are taken in any order', () => {
    expect(sizeOptions([])).toEqual({ json: false, check: false, limit: LIMIT });
    expect(sizeOptions(['--limit', '500', '--check', '--json'])).toEqual({
      json: true,
      check: true,
      limit: 500,
    });
  });

  it('are refused where they say nothing', () => {
    expect(() => sizeOptions(['--gzip'])).toThrow(/"--gzip"; it takes --json/);
    expect(() => sizeOptions(['--limit', '-1'])).toThrow(/--limit takes a whole number/);
    expect(() => sizeOptions(['--limit'])).toThrow(/--limit takes a whole number/);
  });
});

describe('a bundle', () => {
  it('holds what is imported later, and neither what is unused nor comments', async () => {
    const folder = folderOf({
      'entry.mjs': "export const later = () => import('./later.mjs');",
      'later.mjs': "/* not this */ export const text = 'x'.repeat(9); export const other = 'y'.repeat(1);",
      'unused.mjs': "export const unused = 'z';",
    });
    const size = await measureSize(ROOT, join(folder, 'entry.mjs'));
    expect(size.parts.map(({ name }) => name.replace(/.*\//, '')).sort()).toEqual(['entry.mjs', 'later.mjs']);
    expect(size.node).toEqual([]);
    expect(size.gzipped).toBeGreaterThan(50);
    expect(size.minified).toBeLessThan(500);
  });

  it('tells what it reaches of Node.js', async () => {
    const folder = folderOf({
      'entry.mjs':
        "import { readFileSync } from 'node:fs'; import 'path'; import './more.mjs'; export const a = readFileSync;",
      'more.mjs':
        "const own = { Buffer: 1 }; { const process = own; console.log(process); } console.log('process', globalThis.process);",
    });
    const { node } = await measureSize(ROOT, join(folder, 'entry.mjs'));
    expect(node.map((entry) => entry.replace(/in \S*\//, 'in ')).sort()).toEqual([
      'node:fs in entry.mjs',
      'path in entry.mjs',
      'process in more.mjs',
    ]);
  });

  it('is read by the comment before each file', () => {
    const text = '// a.js\nfoo(nodesGlobal_Buffer);\n  // b/c.ts\nawait import("node:os");';
    expect(referencesIn(text)).toEqual(['Buffer in a.js', 'node:os in b/c.ts']);
  });
});

describe('the package', () => {
  it.each([
    [ENTRY, LIMIT],
    [FULL_ENTRY, FULL_LIMIT],
  ])('%s weighs no more than %i bytes, and reaches nothing of Node.js', async (entry, limit) => {
    const { gzipped, node } = await measureSize(ROOT, entry);
    expect(gzipped).toBeLessThanOrEqual(limit);
    expect(node).toEqual([]);
  });

  it('reaches no file by an import that only the full entry needs, nor does @onegpu/onnx/image', async () => {
    const full = await reachedFiles(ROOT, FULL_ENTRY);
    const all = 'packages/kernels/src/index.ts';
    expect(full).toContain(all);
    for (const entry of [ENTRY, '@onegpu/onnx/image']) {
      const reached = await reachedFiles(ROOT, entry);
      expect(reached).not.toContain(all);
      expect(reached).not.toContain('packages/onnx/src/everything.ts');
    }
    expect((await reachedFiles(ROOT, ENTRY)).length).toBeLessThan(0.7 * full.length);
  });

  it('holds nothing of volumes, bytes and launch fusions; the full entry has them', async () => {
    const names = async (entry) => (await measureSize(ROOT, entry)).parts.map(({ name }) => name);
    const inEntry = await names(ENTRY);
    const rare = ['kernels/volume-conv', 'kernels/conv-integer', 'kernels/expand-depthwise', 'kernels/lrn'];
    expect(await names(FULL_ENTRY)).toEqual(expect.arrayContaining(rare));
    expect(rare.filter((name) => inEntry.includes(name))).toEqual([]);
  });
});

describe('a part', () => {
  it('is a package and a folder', () => {
    expect(partOf('packages/kernels/src/conv/select.ts')).toBe('kernels/conv');
    expect(partOf('packages/core/src/errors.ts')).toBe('core');
    expect(partOf('node_modules/.pnpm/long@4.0.0/node_modules/long/src/long.js')).toBe('long');
    expect(partOf('node_modules/.pnpm/@a+b@1.0.0/node_modules/@a/b/index.js')).toBe('@a/b');
  });
});

describe('the report', () => {
  const parts = Array.from({ length: 40 }, (_, index) => ({
    name: `part/${'x'.repeat(90)}`,
    bytes: 100 - index,
  }));
  const size = {
    minified: 4000,
    gzipped: 130,
    limit: 120,
    over: 10,
    full: 170,
    parts,
    node: [`process in ${'y'.repeat(90)}`],
  };

  it('has 80 columns, the limit and how far it is over', () => {
    const text = formatSize(size);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBe(80);
    expect(text).toMatch(/gzipped +130 bytes\n.* 120 bytes\n +10 over\n.*full, gzipped +170 bytes\n/);
    expect(text).toMatch(/16 others +\d+ +\d+\.\d %/);
    expect(formatSize({ ...size, gzipped: 100, over: 0 })).toMatch(/ 20 below\n/);
  });

  it('fails over the limit only where that is asked', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    expect(await reportSize(ROOT, { json: true, check: false, limit: 1 })).toBe(0);
    expect(await reportSize(ROOT, { json: true, check: true, limit: 1 })).toBe(1);
    const [text] = log.mock.lastCall;
    log.mockRestore();
    expect(JSON.parse(text)).toMatchObject({ limit: 1, over: JSON.parse(text).gzipped - 1, node: [] });
  });
});
