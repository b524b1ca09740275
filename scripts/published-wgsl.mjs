/**
 * WGSL as it is published: without comments and indentation. It stands in template literals of `*.wgsl.ts`, which
 * minifiers leave as they are. Lines stay lines, so that source maps keep pointing at them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sources and built files that hold WGSL. */
export const WGSL_FILE = /\.wgsl\.[jt]s$/;

/** Lines that are a comment, comments behind the end of a statement, and leading blanks; a source map's line stays. */
const REMOVED = /^[ \t]*\/\/(?!#).*$|(?<=[;{},]) +\/\/ [^'"`\n]*$|^[ \t]+/gm;

/** The text of a `WGSL_FILE` without what only readers need; what is TypeScript or JavaScript in it means the same. */
export function publishedWgsl(text) {
  return text.replace(REMOVED, '');
}

/** Rewrites the built files of a folder. */
export function publishWgsl(folder) {
  for (const entry of readdirSync(folder, { recursive: true })) {
    if (!WGSL_FILE.test(entry)) continue;
    const file = join(folder, entry);
    writeFileSync(file, publishedWgsl(readFileSync(file, 'utf8')));
  }
}
