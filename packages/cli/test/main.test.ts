/** The command as a process: exit codes, messages, and what goes to which stream. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ONEGPU, onegpu } from './onegpu-process.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onegpu-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('onegpu', () => {
  it('tells its version and its help', async () => {
    const version = await onegpu(['--version']);
    expect(version).toMatchObject({ code: 0, error: '' });
    expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
    const help = await onegpu(['help', 'run']);
    expect(help.code).toBe(0);
    expect(help.out).toContain('--preprocess');
  });

  it.each([
    ['no command', [], 'Usage: onegpu'],
    ['an unknown command', ['fly'], "unknown command 'fly'"],
    ['a missing argument', ['run'], "missing required argument 'model'"],
    ['a surplus argument', ['devices', 'x'], 'too many arguments'],
    ['an unknown option', ['run', 'm.onnx', '--fly'], "unknown option '--fly'"],
    [
      'a wrong choice',
      ['run', 'm.onnx', '--adapter', 'abacus'],
      'Allowed choices are auto, hardware, software',
    ],
    ['a shape without a name', ['run', 'm.onnx', '--shape', '1x3'], 'Write it as name=1x3x640x640'],
    ['a shape that is no number', ['run', 'm.onnx', '--shape', 'x=1xtwo'], '"two" is no extent'],
    [
      'an input given twice',
      ['run', 'm.onnx', '--input', 'x=a.npy', '--input', 'x=b.npy'],
      '"x" is given twice',
    ],
    ['a wrong pattern', ['conformance', '.', '--filter', '('], 'no regular expression'],
    ['a wrong count', ['profile', 'm.onnx', '--runs', '0'], 'must be 1 or more'],
  ])('ends with 2 for %s', async (_, words, message) => {
    const { code, out, error } = await onegpu(words);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(error).toContain(message);
    expect(error).not.toContain('    at ');
  });

  it('ends with 1 and one message for work that fails', async () => {
    const model = join(folder, 'noise.onnx');
    await writeFile(model, 'this is no model at all');
    for (const words of [
      ['info', model, '--json'],
      ['info', join(folder, 'missing.onnx')],
      ['conformance', folder],
    ]) {
      const { code, out, error } = await onegpu(words);
      expect(code, words.join(' ')).toBe(1);
      expect(out).toBe('');
      expect(error).toMatch(/^onegpu: .+\n$/);
      expect(error).not.toContain('    at ');
    }
  });

  it('shows where an error comes from with --debug and with ONEGPU_DEBUG', async () => {
    const words = ['info', join(folder, 'missing.onnx')];
    expect((await onegpu([...words, '--debug'])).error).toContain('    at ');
    expect((await onegpu(words, { ONEGPU_DEBUG: '1' })).error).toContain('    at ');
  });

  it('ends quietly when the reader of its output has gone', async () => {
    const child = spawn(process.execPath, [...ONEGPU, 'help', 'run'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let error = '';
    child.stderr.on('data', (part) => {
      error += part;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(0);
    expect(error).toBe('');
  });
});
