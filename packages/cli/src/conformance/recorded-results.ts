/**
 * A committed record of a conformance run: the status of every folder, one line each, so that a change of what works
 * shows as a changed line. `{"node/test_abs": "PASS", ...}`, sorted by name.
 */
import { readFile } from 'node:fs/promises';
import { InvalidInputError } from '@onegpu/core';
import type { FolderResult, FolderStatus } from './run-folder.ts';

export type RecordedResults = ReadonlyMap<string, FolderStatus>;

const STATUSES: readonly FolderStatus[] = ['PASS', 'FAIL', 'UNSUPPORTED'];

export interface ResultDifference {
  readonly name: string;
  /** Undefined for a folder that is not in the record. */
  readonly recorded: FolderStatus | undefined;
  /** Undefined for a folder of the record that was not there. */
  readonly status: FolderStatus | undefined;
  /** Of the run; empty where there is none. */
  readonly reason: string;
}

/** @throws InvalidInputError for a file that is no record; the file system's error where it cannot be read. */
export async function readRecordedResults(file: string): Promise<RecordedResults> {
  const record: unknown = parseJson(await readFile(file, 'utf8'), file);
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw invalid(file, 'it holds no object', 'an object of folder names and statuses');
  }
  return new Map(
    Object.entries(record).map(([name, status]) => {
      if (STATUSES.includes(status)) return [name, status as FolderStatus] as const;
      throw invalid(file, `"${name}": ${JSON.stringify(status)}`, STATUSES.join(', '));
    }),
  );
}

export function formatRecord(results: readonly FolderResult[]): string {
  const sorted = [...results].sort((a, b) => (a.name < b.name ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted.map(({ name, status }) => [name, status])), null, 2)}\n`;
}

/** What differs, by name. Folders of the record that `covers` leaves out need not have run. */
export function compareWithRecord(
  results: readonly FolderResult[],
  recorded: RecordedResults,
  covers: (name: string) => boolean,
): readonly ResultDifference[] {
  const ran = new Set(results.map(({ name }) => name));
  const changed = results.flatMap(({ name, status, reason }): ResultDifference[] => {
    const before = recorded.get(name);
    return before === status ? [] : [{ name, recorded: before, status, reason }];
  });
  const missing = [...recorded].flatMap(([name, status]): ResultDifference[] =>
    ran.has(name) || !covers(name) ? [] : [{ name, recorded: status, status: undefined, reason: '' }],
  );
  return [...changed, ...missing].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function formatDifference({ name, recorded, status, reason }: ResultDifference): string {
  const change = `${recorded ?? 'not recorded'} -> ${status ?? 'not run'}`;
  return `CHANGED ${name}: ${change}${reason === '' ? '' : `: ${reason}`}`;
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(file, (cause as Error).message, 'JSON', cause);
  }
}

function invalid(file: string, got: string, expected: string, cause?: unknown): InvalidInputError {
  return new InvalidInputError(
    'the file is no record of conformance results',
    { subject: file, got, expected, remedy: 'Write one with: onegpu conformance DIR --write FILE' },
    cause === undefined ? undefined : { cause },
  );
}
