/**
 * Brings the dependencies: `npx` fetches the pnpm that package.json names, pnpm installs what the lockfile says.
 * A stamp in node_modules says which lockfile it was made from, so that the next command starts at once. Everything
 * this prints goes to standard error: standard output belongs to the command that was asked for.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runProcess } from './process.mjs';

const STAMP = join('node_modules', '.onegpu-install');

/** Installs when node_modules is missing or was made from another lockfile, pnpm, Node ABI or platform. */
export async function ensureInstalled(root) {
  const packageManager = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager;
  const wanted = installKey(readFileSync(join(root, 'pnpm-lock.yaml')), packageManager);
  const stamp = join(root, STAMP);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;

  console.error(`OneGpu: installing the dependencies with ${packageManager} (about 750 MB, once) ...`);
  const npx = npxCommand(process.env, process.execPath, process.platform);
  const code = await runProcess(npx.file, [...npx.args, ...pnpmArguments(packageManager)], {
    cwd: root,
    shell: npx.shell,
    // `npm run --silent` is about the command's output; what npx has to say about a failure is still wanted.
    env: { ...process.env, npm_config_loglevel: 'error' },
    stdio: ['ignore', 2, 2],
  });
  if (code > 128) throw Object.assign(new Error('stopped while installing.'), { exitCode: code });
  if (code !== 0) {
    throw new Error(
      `installing the dependencies failed (exit code ${code}). The first run needs the npm registry; the messages above say what went wrong. Run the command again to retry.`,
    );
  }
  writeFileSync(stamp, wanted);
  console.error('OneGpu: dependencies installed.');
}

/** What node_modules was made from; a change of any part installs again. */
export function installKey(lockfile, packageManager) {
  const lock = createHash('sha256').update(lockfile).digest('hex');
  return `${packageManager} ${process.platform}-${process.arch} ${lock}\n`;
}

/** `packageManager` may carry a checksum (`pnpm@1.2.3+sha512...`), which is corepack's and not npm's. */
export function pnpmArguments(packageManager) {
  const spec = packageManager.split('+')[0];
  return [
    '--yes',
    spec,
    'install',
    '--frozen-lockfile',
    '--prefer-offline',
    // A node_modules folder that another tool made is replaced without a question.
    '--config.confirm-modules-purge=false',
  ];
}

/**
 * How to start npx: its JavaScript file run by this very Node, which needs no shell on any system (Windows has
 * only a `.cmd` script there, and Node starts those through a shell alone). Plain `npx` where the file is not found.
 */
export function npxCommand(env, execPath, platform, exists = existsSync) {
  const places = [
    env.npm_execpath === undefined ? '' : join(dirname(env.npm_execpath), 'npx-cli.js'),
    join(dirname(execPath), 'node_modules', 'npm', 'bin', 'npx-cli.js'),
    join(dirname(execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npx-cli.js'),
  ];
  const script = places.find((place) => place !== '' && exists(place));
  if (script !== undefined) return { file: execPath, args: [script], shell: false };
  return platform === 'win32'
    ? { file: 'npx.cmd', args: [], shell: true }
    : { file: 'npx', args: [], shell: false };
}
