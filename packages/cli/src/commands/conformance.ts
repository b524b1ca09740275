/** `onegpu conformance DIR`: runs folders in the format of ONNX's own tests, one line a folder. */
import { InvalidInputError } from '@onegpu/core';
import { InferenceSession } from '@onegpu/onnx';
import { type Command, InvalidArgumentError } from 'commander';
import { findTestFolders } from '../conformance/folders.ts';
import { type FolderResult, type FolderStatus, runTestFolder } from '../conformance/run-folder.ts';
import { FailedOutcome } from '../failure.ts';
import { withDevice } from '../model-session.ts';
import { addDeviceOptions, type DeviceOptions } from '../options.ts';
import { print, printJson } from '../output.ts';
import { withProgress } from '../progress.ts';

interface ConformanceOptions extends DeviceOptions {
  readonly filter?: RegExp;
}

export function addConformanceCommand(program: Command): void {
  const command = program.command('conformance').argument('<folder>', 'folder of test folders');
  command.description("run folders in the format of ONNX's operator tests");
  addDeviceOptions(command)
    .option('--filter <pattern>', 'only folders whose name matches this regular expression', parsePattern)
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
  const all = await findTestFolders(root);
  const folders = all.filter(({ name }) => options.filter?.test(name) ?? true);
  if (folders.length === 0) {
    throw new InvalidInputError(
      all.length === 0 ? 'no folder with a model.onnx' : 'no folder matches the filter',
      { subject: root },
    );
  }
  const results: FolderResult[] = [];
  await withDevice(options, (device) =>
    withProgress(async (progress) => {
      for (const folder of folders) {
        progress.update({ stage: folder.name, done: results.length, total: folders.length });
        const result = await runTestFolder(folder, (model, layout) =>
          InferenceSession.create(model, { device, mode: options.mode, ...layout }),
        );
        results.push(result);
        if (!options.json && !process.stdout.isTTY) print(formatResult(result));
      }
    }),
  );
  const counts = countResults(results);
  if (options.json) printJson({ ...counts, folders: results });
  else {
    if (process.stdout.isTTY) print(results.map(formatResult).join('\n'));
    print(`${counts.passed} passed, ${counts.failed} failed, ${counts.unsupported} unsupported`);
  }
  if (counts.passed < results.length) throw new FailedOutcome();
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
