/** Child processes that stand in for this one: same standard streams, same exit code, signals passed on. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program to its end.
 * @returns its exit code; 128 + the signal's number when a signal ended it
 */
export function runProcess(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'inherit', ...options });
    const handlers = FORWARDED.map((signal) => [signal, () => forward(child, signal)]);
    for (const [signal, handler] of handlers) process.on(signal, handler);
    const done = () => {
      for (const [signal, handler] of handlers) process.off(signal, handler);
    };
    child.on('error', (error) => {
      done();
      reject(new Error(`could not start ${file}: ${error.message}`));
    });
    child.on('exit', (code, signal) => {
      done();
      resolve(exitCodeOf(code, signal));
    });
  });
}

export function exitCodeOf(code, signal) {
  return signal === null ? code : 128 + (constants.signals[signal] ?? 0);
}

/** Ctrl+C in a terminal reaches the whole process group already; a second one would read as impatience. */
function forward(child, signal) {
  if (signal === 'SIGINT' && process.stdin.isTTY) return;
  child.kill(signal);
}
