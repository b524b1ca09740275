/**
 * What `@onegpu/onnx` weighs in a browser with all it depends on: one minified file, dynamic imports inlined, bundled
 * from the package's source with WGSL as the build writes it; and `@onegpu/onnx/full` beside it. The words are those of
 * `npm run size -- [--json] [--check] [--limit BYTES]`.
 */
import { readFileSync } from 'node:fs';
import { builtinModules, isBuiltin } from 'node:module';
import { gzipSync } from 'node:zlib';
import { publishedWgsl, WGSL_FILE } from './published-wgsl.mjs';

/** As a bundler for browsers resolves it. */
export const ENTRY = '@onegpu/onnx';
export const FULL_ENTRY = '@onegpu/onnx/full';
/** The most that the entry may weigh, gzipped: 120 KB. */
export const LIMIT = 120_000;
/** The most that tests let everything weigh. */
export const FULL_LIMIT = 185_000;
const ROWS = 24;
const WIDTH = 80;

/** Stand-ins for Node's globals: where one of them is left in a bundle, the global is reached. */
const GLOBALS = ['process', 'Buffer'];
const STAND_IN = 'nodesGlobal_';

/** @throws RangeError with what is understood, for other words */
export function sizeOptions(words) {
  const options = { json: false, check: false, limit: LIMIT };
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === '--json') options.json = true;
    else if (word === '--check') options.check = true;
    else if (word === '--limit') options.limit = bytesOf(words[++i]);
    else throw new RangeError(`size does not know "${word}"; it takes --json --check --limit BYTES`);
  }
  return options;
}

/** Prints the weight. @returns 1 where it is over the limit and `check` asks for that, otherwise 0 */
export async function reportSize(root, options) {
  const size = await measureSize(root, ENTRY);
  const { gzipped: full } = await measureSize(root, FULL_ENTRY);
  const over = size.gzipped - options.limit;
  const summary = { ...size, limit: options.limit, over: Math.max(0, over), full };
  console.log(options.json ? JSON.stringify(summary, null, 2) : formatSize(summary));
  return options.check && over > 0 ? 1 : 0;
}

/**
 * Bytes of the bundle, its parts by size, and where it reaches what only Node has.
 * @param entry a file, or a package that `@onegpu/onnx` or its dependents may import
 */
export async function measureSize(root, entry) {
  // Imported late: `npm run size` may be what installs it.
  const esbuild = await import('esbuild');
  const options = { ...bundling(root, entry), minify: true, metafile: true };
  const { outputFiles, metafile } = await esbuild.build(options);
  const [file] = outputFiles;
  const [output] = Object.values(metafile.outputs);
  return {
    minified: file.contents.byteLength,
    gzipped: gzipSync(file.contents, { level: 9 }).byteLength,
    parts: partsOf(output.inputs),
    node: await nodeReferences(esbuild, root, entry),
  };
}

/** Every file that the entry's imports reach, used or not: what a bundler loads first that looks at files alone. */
export async function reachedFiles(root, entry) {
  const esbuild = await import('esbuild');
  const { metafile } = await esbuild.build({ ...bundling(root, entry), metafile: true });
  return Object.keys(metafile.inputs);
}

function bundling(root, entry) {
  return {
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['source', 'browser', 'import'],
    external: ['node:*', ...builtinModules],
    legalComments: 'none',
    logLevel: 'silent',
    tsconfigRaw: {},
    plugins: [{ name: 'published-wgsl', setup: loadPublishedWgsl }],
  };
}

function loadPublishedWgsl(build) {
  build.onLoad({ filter: WGSL_FILE }, ({ path }) => ({
    contents: publishedWgsl(readFileSync(path, 'utf8')),
    loader: 'ts',
  }));
}

/** Minified bytes by package and folder, largest first. */
export function partsOf(inputs) {
  const bytes = new Map();
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const name = partOf(path);
    bytes.set(name, (bytes.get(name) ?? 0) + bytesInOutput);
  }
  return [...bytes]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => ({ name, bytes: count }))
    .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
}

/** `packages/onnx/src/ops/conv.ts` is `onnx/ops`, a file of another package that package's. */
export function partOf(path) {
  const outside = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path);
  if (outside !== null) return outside[1];
  const [, name, folder] = /packages\/([^/]+)\/src\/(?:(.+?)\/)?[^/]+$/.exec(path) ?? [];
  return name === undefined ? path : [name, folder].filter(Boolean).join('/');
}

/**
 * Modules and globals of Node that the bundle reaches, each with the file that does. esbuild writes the stand-ins only
 * where a name is the global itself, and says before each file which one it is.
 */
async function nodeReferences(esbuild, root, entry) {
  const define = Object.fromEntries(GLOBALS.map((name) => [name, STAND_IN + name]));
  const options = { ...bundling(root, entry), minifySyntax: true, define };
  const { outputFiles } = await esbuild.build({ ...options, metafile: true });
  return referencesIn(outputFiles[0].text);
}

/** The references in a bundle that was not stripped of esbuild's comments. */
export function referencesIn(text) {
  const found = new Set();
  let file = '';
  for (const line of text.split('\n')) {
    file = /^\s*\/\/ (?:\S*node_modules\/)?(\S+\.[cm]?[jt]s)$/.exec(line)?.[1] ?? file;
    const modules = [...line.matchAll(IMPORTED)].filter(([, name]) => isBuiltin(name));
    for (const [, name] of [...line.matchAll(GLOBAL), ...modules]) found.add(`${name} in ${file}`);
  }
  return [...found];
}

/** The global itself, or a property of that name: `globalThis.process`. */
const GLOBAL = new RegExp(`(?:\\b${STAND_IN}|\\.)(${GLOBALS.join('|')})\\b`, 'g');
/** `from "node:fs"`, `import("node:fs")`, `__require("fs")`, as esbuild leaves what is external. */
const IMPORTED = /(?:\bfrom |\bimport[ (]|\b__require\d*\()"([^"]+)"/g;

/** The weight as lines of at most 80 columns. */
export function formatSize({ minified, gzipped, limit, over, full, parts, node }) {
  const rest = parts.slice(ROWS);
  const others = { name: `${rest.length} others`, bytes: rest.reduce((sum, { bytes }) => sum + bytes, 0) };
  const rows = rest.length > 1 ? [...parts.slice(0, ROWS), others] : parts;
  const verdict = over > 0 ? `${over} over` : `${limit - gzipped} below`;
  return [
    '@onegpu/onnx and all it depends on, in one file for the browser',
    '',
    row('minified', `${minified} bytes`),
    row('gzipped', `${gzipped} bytes`),
    row('at most, gzipped', `${limit} bytes`),
    row('', verdict),
    row(`${FULL_ENTRY}, gzipped`, `${full} bytes`),
    '',
    row('part', 'minified bytes'),
    ...rows.map(({ name, bytes }) => row(name, `${String(bytes).padStart(8)} ${share(bytes, minified)}`)),
    '',
    ...(node.length === 0
      ? ['Nothing of Node.js is reached.']
      : ["Reached of Node.js's:", ...node.map(indented)]),
  ].join('\n');
}

function row(name, value) {
  const room = WIDTH - value.length - 1;
  return `${shortened(name, room).padEnd(room)} ${value}`;
}

function share(bytes, of) {
  return `${((100 * bytes) / of).toFixed(1)} %`.padStart(7);
}

function indented(text) {
  return `  ${shortened(text, WIDTH - 2)}`;
}

/** The end of a path says more than its beginning. */
function shortened(text, room) {
  return text.length <= room ? text : `…${text.slice(text.length - room + 1)}`;
}

function bytesOf(text) {
  if (text !== undefined && /^\d{1,12}$/.test(text)) return Number(text);
  throw new RangeError(`--limit takes a whole number of bytes, not "${text ?? ''}"`);
}
