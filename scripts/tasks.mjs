/**
 * The tasks of the workspace. Each is a list of steps, a step is a program of node_modules or the `onegpu` command
 * run from its TypeScript source; the first step that fails ends the task with its exit code.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildPackages } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { runProcess } from './process.mjs';
import { reportSize, sizeOptions } from './size.mjs';
import { LAYERS, sweepOf } from './sweep.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
// tsx would otherwise read the tsconfig.json of the caller's folder.
const ENVIRONMENT = { ...process.env, TSX_TSCONFIG_PATH: join(ROOT, 'tsconfig.json') };
const DEMO = ['detect', 'test-models/images/sign.png', '--profile', '--output', 'output'];

/** Steps of each task for the words that follow its name. */
export const TASKS = {
  start: (words) => [onegpu([...DEMO, ...words])],
  // Paths are the caller's: npm tells where it was called, which `npm --prefix CHECKOUT run onegpu` needs.
  onegpu: (words) => [{ ...onegpu(words), folder: process.env.INIT_CWD }],
  numerics: (words) => [numerics(words)],
  // With words only the tests they name run: `npm test -- packages/kernels/src/conv`.
  test: (words) =>
    words.length === 0 ? [...CHECKS, vitest([]), bounds(['packages/kernels/src'])] : [vitest(words)],
  // Operators against float64 on random problems, edges of tiles and layers: `npm run sweep -- conv --seed 7 --runs 500`.
  sweep: (words) => sweep(words),
  bounds: (words) => [bounds(words)],
  check: () => CHECKS,
  build: () => [{ title: 'build', run: () => buildPackages(ROOT) }],
  // What each way to run a layer adds to its network: `npm run tiles -- resnet50@8 --json tiles.json`.
  tiles: (words) => [fromSource('tiles', join('scripts', 'network-tiles.ts'), words)],
  // The entry for browsers beside the full one: `npm run entries -- resnet50@8 dbnet_r18`.
  entries: (words) => [fromSource('entries', join('scripts', 'compare-entries.ts'), words)],
  // The page of examples/browser, served; `npm run demo -- build` writes it into its `dist`.
  demo: (words) => [demo(words)],
  // What the runtime weighs in a browser: `npm run size -- --json`.
  size: (words) => size(words),
};

const CHECKS = [tool('lint', '@biomejs/biome', ['check', '.']), tool('types', 'typescript', ['-p', '.'])];

/** Runs one task; sets the process's exit code and never throws. */
export async function runTask([name = '', ...words]) {
  try {
    const steps = stepsOf(name, words);
    if (steps === undefined) {
      console.error(`unknown task "${name}"; tasks: ${Object.keys(TASKS).join(' ')}`);
      process.exitCode = 2;
      return;
    }
    await ensureInstalled(ROOT);
    process.exitCode = await runSteps(steps);
  } catch (error) {
    console.error(`OneGpu: ${error.message}`);
    process.exitCode = error.exitCode ?? 1;
  }
}

/** The steps of a task; undefined when there is no such task. */
export function stepsOf(name, words) {
  return Object.hasOwn(TASKS, name) ? TASKS[name](words) : undefined;
}

async function runSteps(steps) {
  for (const step of steps) {
    const { title, says = title } = step;
    if (steps.length > 1 || says !== title) console.error(`OneGpu: ${says}`);
    const code =
      step.run === undefined
        ? await runProcess(process.execPath, step.args(ROOT), {
            cwd: step.folder ?? ROOT,
            env: { ...ENVIRONMENT, ...step.environment },
          })
        : await step.run();
    if (code !== 0) return code;
  }
  return 0;
}

function onegpu(words) {
  return fromSource('onegpu', join('packages', 'cli', 'src', 'main.ts'), words);
}

/** Vite in a Node that reads TypeScript: its configuration imports packages of the workspace. */
function demo(words) {
  return {
    title: 'demo',
    folder: join(ROOT, 'examples', 'browser'),
    args: (root) => {
      const vite = programOf(root, 'vite');
      return fromSource('demo', relative(root, vite), [...words, '--configLoader', 'native']).args(root);
    },
  };
}

/** Runs a TypeScript file: tsx strips the types, the condition picks `src` in each package's export map. */
function fromSource(title, file, words) {
  return {
    title,
    args: (root) => {
      const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
      return ['--conditions=source', '--import', tsx, join(root, file), ...words];
    },
  };
}

function vitest(words) {
  return tool('tests', 'vitest', ['run', ...words]);
}

/** Operator tests again, with kernels that count the accesses outside their arrays. */
function bounds(words) {
  return { ...vitest(words), title: 'bounds', environment: { ONEGPU_TEST_BOUNDS: '1' } };
}

/** Operator tests of random problems, many of them, then layers; the seed is said first, so that the run can be repeated. */
function sweep(words) {
  const { files, layers, seed, runs } = sweepOf(words);
  const environment = { ONEGPU_SWEEP_SEED: String(seed), ONEGPU_SWEEP_RUNS: String(runs) };
  const says = `${runs} problems a family, --seed ${seed}`;
  return [
    ...(files.length > 0 ? [{ ...vitest(files), title: 'sweep', says, environment }] : []),
    ...(layers ? [{ ...numerics(LAYERS), title: 'layers' }] : []),
  ];
}

function size(words) {
  const options = sizeOptions(words);
  return [{ title: 'size', run: () => reportSize(ROOT, options) }];
}

function numerics(words) {
  return fromSource('numerics', join('scripts', 'numerics.ts'), words);
}

function tool(title, packageName, words) {
  return { title, args: (root) => [programOf(root, packageName), ...words] };
}

/** Path of the JavaScript file behind a package's only command. */
export function programOf(root, packageName) {
  const folder = join(root, 'node_modules', packageName);
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) throw new Error(`${packageName} is missing; remove node_modules and run again`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : Object.values(bin)[0]);
}
