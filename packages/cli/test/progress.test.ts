/** The progress bar: what it says, and that a signal under it ends the process. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { formatAmount } from '../src/progress.ts';

const PROGRESS = new URL('../src/progress.ts', import.meta.url).href;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SHOW_CURSOR = '\u001b[?25h';

/** Shows a bar on a terminal that is none and then waits for ever. */
const SCRIPT = `
  import { Writable } from 'node:stream';
  import { createProgress } from ${JSON.stringify(PROGRESS)};
  const terminal = new Writable({ write: (part, _, done) => process.stdout.write(part, done) });
  createProgress(Object.assign(terminal, { isTTY: true, columns: 80 })).update({ stage: 'compile', done: 1, total: 9 });
  setInterval(() => undefined, 1000);
`;

function runUntil(
  text: string,
  signal: NodeJS.Signals,
): Promise<{ ended: NodeJS.Signals | number | null; out: string }> {
  const words = ['--conditions=source', '--import', 'tsx', '--input-type=module', '--eval', SCRIPT];
  const child = spawn(process.execPath, words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (part) => {
    if (!out.includes(text) && `${out}${part}`.includes(text)) child.kill(signal);
    out += part;
  });
  return new Promise((resolve) =>
    child.on('close', (code, by) => {
      resolve({ ended: by ?? code, out });
    }),
  );
}

describe('the progress bar', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('goes at %s, which ends the process', async (signal) => {
    const { ended, out } = await runUntil('compile 1/9', signal);
    expect(ended).toBe(signal);
    expect(out).toContain(SHOW_CURSOR);
  });

  it('tells bytes in MiB, other stages as counts, and no total that is not known', () => {
    expect(formatAmount({ stage: 'read', done: 2 ** 20, total: 3 * 2 ** 19 })).toBe('1.0/1.5 MiB');
    expect(formatAmount({ stage: 'read', done: 2 ** 20, total: 0 })).toBe('1.0 MiB');
    expect(formatAmount({ stage: 'compile', done: 3, total: 96 })).toBe('3/96');
  });
});
