/**
 * The files `onegpu profile` writes beside its table: the profile as JSON, its layers as CSV, an HTML report, a Chrome
 * trace. Whether they can be written is found out before anything is measured; what makes the last two is loaded only
 * where they are asked for.
 */
import { constants } from 'node:fs';
import { access, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from './failure.ts';
import { note, toJsonText } from './output.ts';
import { profileCsv } from './profile-csv.ts';
import type { SavedProfile } from './profile-file.ts';

const OPTIONS = ['save', 'csv', 'report', 'trace'] as const;

/** File of each option that was given. */
export type ReportFileOptions = { readonly [option in (typeof OPTIONS)[number]]?: string };

export function addReportFileOptions(command: Command): Command {
  return command
    .option('--save <file>', 'write the profile as JSON, for onegpu compare')
    .option('--csv <file>', 'write the layers as CSV')
    .option('--report <file>', 'write an HTML page with charts, whole in one file')
    .option('--trace <file>', 'write a Chrome trace, for ui.perfetto.dev or chrome://tracing');
}

/**
 * @param inputs files that the command reads
 * @throws UsageError naming the option, the path and why it cannot be written.
 */
export async function checkReportFiles(
  options: ReportFileOptions,
  inputs: readonly string[] = [],
): Promise<void> {
  const optionOf = new Map<string, string>();
  const read = new Set(inputs.map((file) => resolve(file)));
  for (const option of OPTIONS) {
    const file = options[option];
    if (file === undefined) continue;
    if (file === '') throw new UsageError(`--${option} names no file`);
    await checkWritable(`--${option}`, file);
    if (read.has(resolve(file))) throw new UsageError(`--${option} ${file}: the command reads this file`);
    const other = optionOf.get(resolve(file));
    if (other !== undefined) throw new UsageError(`--${other} and --${option} name the same file, ${file}`);
    optionOf.set(resolve(file), option);
  }
}

/** Writes what was asked for and tells so on standard error. `title` names the model. */
export async function writeReportFiles(
  profile: SavedProfile,
  options: ReportFileOptions,
  title: string,
): Promise<void> {
  if (options.save !== undefined) {
    await writeFile(options.save, toJsonText(profile));
    note(`wrote the profile to ${options.save}`);
  }
  if (options.csv !== undefined) {
    await writeFile(options.csv, profileCsv(profile));
    note(`wrote the layers to ${options.csv}`);
  }
  if (options.report === undefined && options.trace === undefined) return;
  const { chromeTrace, htmlReport } = await import('@onegpu/report');
  // The page and the trace are made to be handed on: they name the model, not where it lay.
  const { model: _, ...report } = profile;
  if (options.report !== undefined) {
    await writeFile(options.report, htmlReport(report, { title }));
    note(`wrote the report to ${options.report}`);
  }
  if (options.trace !== undefined) {
    await writeFile(options.trace, JSON.stringify(chromeTrace(report)));
    note(`wrote the trace to ${options.trace}; open it in ui.perfetto.dev`);
  }
}

async function checkWritable(option: string, path: string): Promise<void> {
  const refuse = (reason: string): never => {
    throw new UsageError(`${option} ${path}: ${reason}`);
  };
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error.code ?? error.message);
  if (typeof found !== 'string') {
    if (found.isDirectory()) refuse('is a folder; name a file in it');
    if (!(await isWritable(path))) refuse('the file is there and may not be written');
    return;
  }
  const folder = dirname(resolve(path));
  const parent = await stat(folder).catch(() => undefined);
  if (parent === undefined) refuse(`there is no folder ${folder}; make it first`);
  else if (!parent.isDirectory()) refuse(`${folder} is not a folder`);
  else if (!(await isWritable(folder))) refuse(`nothing may be written to the folder ${folder}`);
}

function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}
