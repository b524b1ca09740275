/**
 * Bundles the page's script, with the plotting library, into one text for a `<script>` element. The workspace's build
 * runs this file before the compiler: the text becomes `dist/page-script.js`, so that the published package needs no
 * bundler. A checkout calls `bundlePage` when it runs from source.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const FOLDER = fileURLToPath(new URL('./', import.meta.url));

/** @returns {string} the minified script, the licences of what it holds first; there is no `</script` in it */
export function bundlePage() {
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: FOLDER,
    entryPoints: ['src/page/main.ts'],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    tsconfigRaw: {},
  });
  const [output] = Object.values(metafile.outputs);
  const used = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return `/*\n${licences(used.map(([file]) => file))}\n*/\n${outputFiles[0].text}`;
}

/** Writes `dist/page-script.js` and its declaration. */
export function prebuild() {
  mkdirSync(join(FOLDER, 'dist'), { recursive: true });
  const text = JSON.stringify(bundlePage());
  writeFileSync(join(FOLDER, 'dist', 'page-script.js'), `export const PAGE_SCRIPT = ${text};\n`);
  writeFileSync(join(FOLDER, 'dist', 'page-script.d.ts'), 'export declare const PAGE_SCRIPT: string;\n');
}

/** The licences of the packages these files are from: equal texts once, under all names and copyright lines. */
function licences(files) {
  const folders = new Set(
    files.map((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]).filter(Boolean),
  );
  const texts = new Map();
  for (const folder of [...folders].sort()) {
    const [head, body] = licenceOf(join(FOLDER, folder));
    texts.set(body, [...(texts.get(body) ?? []), ...head.map((line) => `${basename(folder)}: ${line}`)]);
  }
  const parts = [...texts].map(([body, heads]) => `${heads.join('\n')}\n\n${body}`);
  return parts.join('\n\n').replaceAll('*/', '* /').replaceAll('</', '< /');
}

/** Copyright lines, and the rest of the text with its lines joined. @throws Error where a package has no licence */
function licenceOf(folder) {
  const file = existsSync(folder) ? readdirSync(folder).find((name) => /^licen[cs]e/i.test(name)) : undefined;
  if (file === undefined) throw new Error(`${folder} has no licence file`);
  const lines = readFileSync(join(folder, file), 'utf8').split(/\r?\n/);
  const isCopyright = (line) => /^copyright (\(c\) )?\d{4}/i.test(line.trim());
  const rest = lines.filter((line) => !isCopyright(line)).join('\n');
  const body = rest
    .trim()
    .replace(/([^\n])\n(?=[^\n])/g, '$1 ')
    .replace(/\n{2,}/g, '\n');
  return [lines.filter(isCopyright).map((line) => line.trim()), body];
}
