import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { buildOrder } from './build.mjs';
import { installKey, npxCommand, pnpmArguments } from './install.mjs';
import { nodeVersionProblem } from './node-version.mjs';
import { exitCodeOf, runProcess } from './process.mjs';
import { FAMILIES, sweepOf } from './sweep.mjs';
import { stepsOf, TASKS } from './tasks.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

describe('nodeVersionProblem', () => {
  it('takes the lowest version and everything above', () => {
    for (const version of ['20.19.0', '20.19.5', '22.0.0', '24.0.0-nightly20260101']) {
      expect(nodeVersionProblem(version, manifest.engines.node), version).toBeUndefined();
    }
  });

  it('refuses older versions and names both', () => {
    for (const version of ['20.18.9', '18.20.0', '12.0.0']) {
      expect(nodeVersionProblem(version, manifest.engines.node)).toMatch(
        new RegExp(`needs Node.js 20\\.19.*this is ${version.replaceAll('.', '\\.')}`),
      );
    }
  });
});

describe('installing', () => {
  it('asks npx for exactly the pnpm of package.json', () => {
    expect(pnpmArguments('pnpm@12.21.0+sha512.abc').slice(0, 4)).toEqual([
      '--yes',
      'pnpm@12.21.0',
      'install',
      '--frozen-lockfile',
    ]);
  });

  it('is done again for another lockfile or another pnpm', () => {
    const key = installKey('a', 'pnpm@1.0.0');
    expect(installKey('a', 'pnpm@1.0.0')).toBe(key);
    expect(installKey('b', 'pnpm@1.0.0')).not.toBe(key);
    expect(installKey('a', 'pnpm@1.0.1')).not.toBe(key);
  });

  it('runs the npx beside the npm that was called, without a shell', () => {
    const npmPath = join('some folder', 'npm', 'bin', 'npm-cli.js');
    const npxPath = join('some folder', 'npm', 'bin', 'npx-cli.js');
    const command = npxCommand({ npm_execpath: npmPath }, 'node', 'linux', (place) => place === npxPath);
    expect(command).toEqual({ file: 'node', args: [npxPath], shell: false });
  });

  it('falls back to the npx on the path', () => {
    const nothing = () => false;
    expect(npxCommand({}, 'node', 'linux', nothing)).toEqual({ file: 'npx', args: [], shell: false });
    expect(npxCommand({}, 'node', 'win32', nothing)).toEqual({ file: 'npx.cmd', args: [], shell: true });
  });
});

describe('sweep', () => {
  it('takes families, a seed and runs in any order', () => {
    const words = ['--runs', '40', 'gemm', '--seed', '7', 'pool'];
    expect(sweepOf(words)).toEqual({
      files: [FAMILIES.gemm, FAMILIES.pool],
      layers: false,
      seed: 7,
      runs: 40,
    });
  });

  it('runs every family at least 300 times where nothing is said', () => {
    const { files, layers, runs } = sweepOf([]);
    expect(layers).toBe(true);
    expect(files).toEqual(Object.values(FAMILIES));
    expect(files.every((file) => existsSync(join(ROOT, file)))).toBe(true);
    expect(runs).toBeGreaterThanOrEqual(300);
  });

  it('measures the layers of networks in a step of its own', () => {
    expect(stepsOf('sweep', ['gemm', 'layers', '--seed', '1']).map((step) => step.title)).toEqual([
      'sweep',
      'layers',
    ]);
    const [step] = stepsOf('sweep', ['layers']);
    expect(step.args('.').slice(-5)).toEqual(['operators', '--batch', '1', '--batch', '8']);
  });

  it('refuses other words and says what it knows', () => {
    expect(() => sweepOf(['convolution'])).toThrow(/"convolution"; families: conv /);
    expect(() => sweepOf(['--seed', 'x'])).toThrow(/--seed takes a whole number/);
    expect(() => sweepOf(['--runs'])).toThrow(/--runs takes a whole number/);
  });
});

describe('tasks', () => {
  it('stand behind every script of package.json that names one', () => {
    const named = Object.values(manifest.scripts).flatMap(
      (script) => /task\.mjs (\S+)/.exec(script)?.[1] ?? [],
    );
    expect(named.sort()).toEqual(Object.keys(TASKS).sort());
  });

  it('pass the words on to the command unchanged', () => {
    const words = ['detect', 'a picture.png', '--json', '--', '-x'];
    const [step] = stepsOf('onegpu', words);
    expect(step.args('.').slice(-words.length)).toEqual(words);
  });

  it('start the command from any folder', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'));
    const [step] = stepsOf('onegpu', ['info', 'm.onnx']);
    const child = spawnSync(process.execPath, step.args(ROOT), { cwd: elsewhere, encoding: 'utf8' });
    expect(child.stderr).toBe('onegpu: m.onnx: the file cannot be read (got no such file)\n');
    expect(child.status).toBe(1);
  });

  it('run the command where npm was called', () => {
    vi.stubEnv('INIT_CWD', tmpdir());
    expect(stepsOf('onegpu', [])[0].folder).toBe(tmpdir());
    expect(stepsOf('start', [])[0].folder).toBeUndefined();
    vi.unstubAllEnvs();
  });

  it('start shows detection on the picture of the checkout', () => {
    const [step] = stepsOf('start', ['--adapter', 'software']);
    expect(step.args('.').slice(-7)).toEqual([
      'detect',
      'test-models/images/sign.png',
      '--profile',
      '--output',
      'output',
      '--adapter',
      'software',
    ]);
  });

  it('demo serves the page from its folder, or builds it', () => {
    const [step] = stepsOf('demo', ['build']);
    expect(step.folder).toBe(join(ROOT, 'examples', 'browser'));
    const args = step.args(ROOT);
    expect(existsSync(args.find((word) => word.endsWith('vite.js')))).toBe(true);
    expect(args.slice(-3)).toEqual(['build', '--configLoader', 'native']);
  });

  it('test lints, checks types, runs all tests and those of operators again, checking bounds; with words only the tests they name', () => {
    expect(stepsOf('test', []).map((step) => step.title)).toEqual(['lint', 'types', 'tests', 'bounds']);
    expect(stepsOf('test', ['packages/core']).map((step) => step.title)).toEqual(['tests']);
  });

  it('an unknown one has no steps, not even one that every object has', () => {
    expect(stepsOf('deploy', [])).toBeUndefined();
    expect(stepsOf('toString', [])).toBeUndefined();
  });
});

describe('runProcess', () => {
  it('gives back the exit code', async () => {
    expect(await runProcess(process.execPath, ['-e', 'process.exit(7)'])).toBe(7);
  });

  it('handles paths with spaces', async () => {
    const script = join(mkdtempSync(join(tmpdir(), 'with a space ')), 'a script.mjs');
    writeFileSync(script, 'process.exit(process.argv[2] === "two words" ? 3 : 4)');
    expect(await runProcess(process.execPath, [script, 'two words'])).toBe(3);
  });

  it('says which program could not be started', async () => {
    await expect(runProcess('no-such-program-here', [])).rejects.toThrow(/no-such-program-here/);
  });

  it('gives a signal as 128 and its number', () => {
    expect(exitCodeOf(null, 'SIGTERM')).toBe(143);
    expect(exitCodeOf(5, null)).toBe(5);
  });
});

describe('buildOrder', () => {
  const entry = (name, dependencies) => ({ name, folder: name, dependencies });

  it('puts dependencies first', () => {
    const order = buildOrder([entry('app', ['lib', 'elsewhere']), entry('lib', ['base']), entry('base', [])]);
    expect(order.map(({ name }) => name)).toEqual(['base', 'lib', 'app']);
  });

  it('names a cycle', () => {
    expect(() => buildOrder([entry('a', ['b']), entry('b', ['a'])])).toThrow('a -> b -> a');
  });
});
