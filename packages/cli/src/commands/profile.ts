/** `onegpu profile MODEL`: the time of every layer. */
import { basename } from 'node:path';
import type { Command } from 'commander';
import { makeFeeds } from '../feeds.ts';
import { withModel } from '../model-session.ts';
import {
  addDeviceOptions,
  addFeedOptions,
  type DeviceOptions,
  type FeedOptions,
  parsePositive,
} from '../options.ts';
import { print, printJson } from '../output.ts';
import { formatProfile } from '../profile-table.ts';
import {
  addReportFileOptions,
  checkReportFiles,
  type ReportFileOptions,
  writeReportFiles,
} from '../report-files.ts';

interface ProfileOptions extends DeviceOptions, FeedOptions, ReportFileOptions {
  readonly runs: number;
}

export function addProfileCommand(program: Command): void {
  const command = program.command('profile').argument('<model>', 'ONNX file');
  command.description('time every layer of a model');
  addReportFileOptions(addDeviceOptions(addFeedOptions(command)))
    .option('--runs <number>', 'timed runs; their medians are printed', parsePositive, 5)
    .action(profileModel);
}

async function profileModel(model: string, options: ProfileOptions): Promise<void> {
  await checkReportFiles(options);
  const report = await withModel(model, options, async (loaded) => {
    const feeds = await makeFeeds(loaded, options);
    loaded.announce(feeds.notes);
    return loaded.session.profile(feeds.tensors, { runs: options.runs });
  });
  await writeReportFiles(report, options, basename(model));
  if (options.json) {
    printJson({ model, ...report });
    return;
  }
  print(model);
  print(`${report.adapter}, ${options.mode} mode, medians of ${options.runs} runs\n`);
  print(formatProfile(report));
}
