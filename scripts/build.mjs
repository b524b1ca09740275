/**
 * Builds every package that has a tsconfig.build.json into its `dist`, a package after those it depends on: the
 * compiler then sees its dependencies as they are published, through their built declarations. A package that makes
 * some of its `dist` without the compiler does so in the `prebuild` of its `prebuild.mjs`. WGSL is published without what
 * only readers need (`published-wgsl.mjs`).
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runProcess } from './process.mjs';
import { publishWgsl } from './published-wgsl.mjs';

/** @returns exit code of the first compiler run that failed, or 0 */
export async function buildPackages(root) {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  for (const { name, folder } of buildOrder(readPackages(root))) {
    console.error(`  ${name}`);
    rmSync(join(folder, 'dist'), { recursive: true, force: true });
    const prebuild = join(folder, 'prebuild.mjs');
    if (existsSync(prebuild)) (await import(pathToFileURL(prebuild).href)).prebuild();
    const code = await runProcess(process.execPath, [compiler, '-p', join(folder, 'tsconfig.build.json')], {
      cwd: root,
      stdio: ['ignore', 2, 2],
    });
    if (code !== 0) return code;
    publishWgsl(join(folder, 'dist'));
  }
  return 0;
}

/** The packages that are built: name, folder and the names of those they depend on. */
export function readPackages(root) {
  const folders = [
    ...readdirSync(join(root, 'packages')).map((entry) => join(root, 'packages', entry)),
    join(root, 'test-models'),
  ];
  return folders
    .filter((folder) => existsSync(join(folder, 'tsconfig.build.json')))
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      return { name: manifest.name, folder, dependencies: Object.keys(manifest.dependencies ?? {}) };
    });
}

/** Dependencies first, otherwise by name. @throws Error naming a cycle */
export function buildOrder(packages) {
  const byName = new Map(packages.map((entry) => [entry.name, entry]));
  const order = [];
  const visit = (entry, path) => {
    if (path.includes(entry.name))
      throw new Error(`packages depend on each other: ${[...path, entry.name].join(' -> ')}`);
    if (order.includes(entry)) return;
    for (const name of entry.dependencies.filter((dependency) => byName.has(dependency)).sort()) {
      visit(byName.get(name), [...path, entry.name]);
    }
    order.push(entry);
  };
  for (const name of [...byName.keys()].sort()) visit(byName.get(name), []);
  return order;
}
