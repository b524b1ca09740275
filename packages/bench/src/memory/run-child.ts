/** Starts a process of the memory benchmark and sees it ended: at its answer, at a time limit, or with this process. */
import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { MemoryAnswer, MemoryTask } from './memory-task.ts';

export interface ChildOptions {
  /** Milliseconds until the answer must be there. */
  readonly timeoutMs: number;
  /** Called once the answer is there and before the process ends. */
  readonly beforeEnd?: (pid: number | undefined) => Promise<void>;
}

/** A process that was let go ends at once; this long it may take to tear its device down. */
const END_MS = 10_000;

/** The answer of a fresh process; never throws, a process that fails answers why. */
export async function runChild(task: MemoryTask, options: ChildOptions): Promise<MemoryAnswer> {
  const child = fork(fileURLToPath(childModule()), [], {
    execArgv: fromSource() ? sourceArguments() : [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', kill);
  try {
    const answer = await answerOf(child, task, options.timeoutMs);
    if (answer.kind === 'done') await options.beforeEnd?.(child.pid);
    return answer;
  } finally {
    await end(child, kill);
    process.off('exit', kill);
  }
}

function answerOf(child: ChildProcess, task: MemoryTask, timeoutMs: number): Promise<MemoryAnswer> {
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    words = (words + part).slice(-2000);
  });
  return new Promise((resolve) => {
    const fail = (reason: string): void => resolve({ kind: 'failed', reason });
    const limit = setTimeout(() => fail(`no result within ${timeoutMs / 1000} s`), timeoutMs);
    child.once('message', (answer: MemoryAnswer) => {
      clearTimeout(limit);
      resolve(answer);
    });
    child.once('error', (error) => fail(error.message));
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      const last = words.trim().split('\n').at(-1) ?? '';
      fail(`the process ended with ${signal ?? code}${last === '' ? '' : `: ${last}`}`);
    });
    child.send(task, (error) => {
      if (error) fail(error.message);
    });
  });
}

async function end(child: ChildProcess, kill: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const limit = setTimeout(kill, END_MS);
  if (child.connected) child.disconnect();
  await ended;
  clearTimeout(limit);
}

function fromSource(): boolean {
  return import.meta.url.endsWith('.ts');
}

function childModule(): URL {
  return new URL(`./memory-child${fromSource() ? '.ts' : '.js'}`, import.meta.url);
}

/** In a checkout the TypeScript source runs, as the `onegpu` command does there. */
function sourceArguments(): string[] {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return ['--conditions=source', '--import', tsx];
}
