/** How a command fails: 1 when the work failed, 2 when the command was used wrongly; one clear message each. */
import { OneGpuError } from '@onegpu/core';
import { CommanderError } from 'commander';

/** The words on the command line are wrong; ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The work was done and its outcome, already printed, is a failure; ends with exit code 1 and no more words. */
export class FailedOutcome extends Error {
  override readonly name = 'FailedOutcome';
}

export type ExitCode = 0 | 1 | 2;

/** Exit code of an error; help and version, which commander reports as errors, are 0. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return error instanceof UsageError ? 2 : 1;
}

/** The words to print for an error; undefined where they have been printed already. */
export function failureMessage(error: unknown, debug: boolean): string | undefined {
  if (error instanceof CommanderError || error instanceof FailedOutcome) return undefined;
  if (debug && error instanceof Error) return withCauses(error);
  if (error instanceof OneGpuError || error instanceof UsageError) return error.message;
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (path !== undefined && code !== undefined) return `${path}: ${FILE_ERRORS[code] ?? message}`;
  return error instanceof Error ? `${message} (--debug shows where)` : String(error);
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'not allowed',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'is not a folder',
  EEXIST: 'exists already and is not a folder',
};

function withCauses(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\ncaused by ${withCauses(error.cause)}` : own;
}
