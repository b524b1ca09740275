/**
 * What stands behind `npm start`, `npm test` and the other scripts of the root package: needs Node and npm, brings
 * the rest. This file only checks Node's version, in syntax that old versions parse; the tasks are in tasks.mjs.
 */
import { readFileSync } from 'node:fs';
import { nodeVersionProblem } from './node-version.mjs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const problem = nodeVersionProblem(process.versions.node, manifest.engines.node);

if (problem) {
  console.error(problem);
  process.exitCode = 1;
} else {
  import('./tasks.mjs').then((tasks) => tasks.runTask(process.argv.slice(2)));
}
