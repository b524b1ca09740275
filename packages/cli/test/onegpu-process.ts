/** The command as a process of its own, run from source. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Arguments of `node` that run the command from its TypeScript source. */
export const ONEGPU: readonly string[] = ['--conditions=source', '--import', 'tsx', MAIN];

/** Runs the command to its end. */
export function onegpu(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [...ONEGPU, ...words], {
    env: { ...process.env, COLUMNS: undefined, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let error = '';
  child.stdout.on('data', (part) => {
    out += part;
  });
  child.stderr.on('data', (part) => {
    error += part;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, error })));
}
