/**
 * `onegpu conformance DIR`: runs folders in the format of ONNX's own tests, one line a folder; `--check FILE` holds the
 * run against a record instead, `--write FILE` makes one.
 */
import { writeFile } from 'node:fs/promises';
import { InvalidInputError } from '@onegpu/core';
import { InferenceSession } from '@onegpu/onnx';
import { type Command, InvalidArgumentError } from 'commander';
import { findTestFolders, type TestFolder } from '../conformance/folders.ts';
import {
  compareWithRecord,
  formatDifference,
  formatRecord,
  type RecordedResults,
  readRecordedResults,
} from '../conformance/recorded-results.ts';
import { type FolderResult, type FolderStatus, runTestFolder } from '../conformance/run-folder.ts';
import { FailedOutcome } from '../failure.ts';
import { withDevice } from '../model-session.ts';
import { addDeviceOptions, type DeviceOptions } from '../options.ts';
import { print, printJson, printRecord } from '../output.ts';
import { withProgress } from '../progress.ts';

interface ConformanceOptions extends DeviceOptions {
  readonly filter?: RegExp;
  readonly check?: string;
  readonly write?: string;
}

export function addConformanceCommand(program: Command): void {
  const command = program.command('conformance').argument('<folder>', 'folder of test folders');
  command.description("run folders in the format of ONNX's operator tests");
  addDeviceOptions(command)
    .option('--filter <pattern>', 'only folders whose name matches this regular expression', parsePattern)
    .option('--check <file>', 'compare with recorded results: only what differs is told, and fails')
    .option('--write <file>', 'record the results')
    .action(runConformance);
}

function parsePattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    throw new InvalidArgumentError('It is no regular expression.');
  }
}

async function runConformance(root: string, options: ConformanceOptions): Promise<void> {
  const folders = await selectFolders(root, options.filter);
  const recorded = options.check === undefined ? undefined : await readRecordedResults(options.check);
  const live = recorded === undefined && !options.json && !process.stdout.isTTY;
  const results = await runFolders(
    folders,
    options,
    live ? (result) => printRecord(formatResult(result)) : () => {},
  );
  if (options.write !== undefined) await writeFile(options.write, formatRecord(results));
  if (recorded === undefined) reportResults(results, options);
  else reportDifferences(results, recorded, options);
}

async function selectFolders(root: string, filter: RegExp | undefined): Promise<readonly TestFolder[]> {
  const all = await findTestFolders(root);
  const folders = all.filter(({ name }) => filter?.test(name) ?? true);
  if (folders.length > 0) return folders;
  const reason = all.length === 0 ? 'no folder with a model.onnx' : 'no folder matches the filter';
  throw new InvalidInputError(reason, { subject: root });
}

async function runFolders(
  folders: readonly TestFolder[],
  options: ConformanceOptions,
  onResult: (result: FolderResult) => void,
): Promise<readonly FolderResult[]> {
  const results: FolderResult[] = [];
  await withDevice(options, (device) =>
    withProgress(async (progress) => {
      for (const folder of folders) {
        progress.update({ stage: folder.name, done: results.length, total: folders.length });
        const result = await runTestFolder(folder, (model, layout) =>
          InferenceSession.create(model, { device, mode: options.mode, ...layout }),
        );
        results.push(result);
        onResult(result);
      }
    }),
  );
  return results;
}

function reportResults(results: readonly FolderResult[], { json }: ConformanceOptions): void {
  const counts = countResults(results);
  if (json) printJson({ ...counts, folders: results });
  else {
    if (process.stdout.isTTY) for (const result of results) printRecord(formatResult(result));
    print(formatCounts(results));
  }
  if (counts.passed < results.length) throw new FailedOutcome();
}

function reportDifferences(
  results: readonly FolderResult[],
  recorded: RecordedResults,
  { filter, json }: ConformanceOptions,
): void {
  const differences = compareWithRecord(results, recorded, (name) => filter?.test(name) ?? true);
  if (json) printJson({ ...countResults(results), differences });
  else {
    for (const difference of differences) printRecord(formatDifference(difference));
    const outcome = differences.length === 0 ? 'as recorded' : `${differences.length} not as recorded`;
    print(`${formatCounts(results)}; ${outcome}`);
  }
  if (differences.length > 0) throw new FailedOutcome();
}

function formatCounts(results: readonly FolderResult[]): string {
  const { passed, failed, unsupported } = countResults(results);
  return `${passed} passed, ${failed} failed, ${unsupported} unsupported`;
}

function formatResult({ name, status, reason }: FolderResult): string {
  return reason === '' ? `${status} ${name}` : `${status} ${name}: ${reason}`;
}

function countResults(results: readonly FolderResult[]): {
  passed: number;
  failed: number;
  unsupported: number;
} {
  const count = (status: FolderStatus): number => results.filter((result) => result.status === status).length;
  return { passed: count('PASS'), failed: count('FAIL'), unsupported: count('UNSUPPORTED') };
}
