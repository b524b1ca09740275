/** `onegpu profile MODEL`: the time of every layer, as a table, JSON, CSV, a page or a trace. */
import { basename } from 'node:path';
import type { ProfileReport } from '@onegpu/onnx';
import type { Command } from 'commander';
import { makeFeeds } from '../feeds.ts';
import { withModel } from '../model-session.ts';
import {
  addDeviceOptions,
  addFeedOptions,
  addTuneOption,
  type DeviceOptions,
  type FeedOptions,
  parsePositive,
  type TuneOption,
} from '../options.ts';
import { print, printJson } from '../output.ts';
import { withCeilings } from '../profile-ceilings.ts';
import type { SavedProfile } from '../profile-file.ts';
import { formatProfile } from '../profile-table.ts';
import {
  addReportFileOptions,
  checkReportFiles,
  type ReportFileOptions,
  writeReportFiles,
} from '../report-files.ts';

interface ProfileOptions extends DeviceOptions, FeedOptions, TuneOption, ReportFileOptions {
  readonly runs: number;
  readonly ceilings: boolean;
}

export function addProfileCommand(program: Command): void {
  const command = program
    .command('profile')
    .argument('<model>', 'ONNX file; in the checkout also the name of a test model, as resnet50');
  command.description('time every layer of a model');
  addReportFileOptions(addTuneOption(addDeviceOptions(addFeedOptions(command))))
    .option('--runs <number>', 'timed runs; their medians are printed', parsePositive, 5)
    .option('--no-ceilings', 'without the share of what the adapter can do, which is measured once and kept')
    .action(profileModel);
}

async function profileModel(model: string, options: ProfileOptions): Promise<void> {
  const read = [model, options.image, ...options.input.values()];
  await checkReportFiles(
    options,
    read.filter((file) => file !== undefined),
  );
  const profile: SavedProfile = { model, ...(await measure(model, options)) };
  await writeReportFiles(profile, options, basename(model));
  if (options.json) printJson(profile);
  else printProfile(profile);
}

function measure(model: string, options: ProfileOptions): Promise<ProfileReport> {
  return withModel(model, options, async (loaded) => {
    const feeds = await makeFeeds(loaded, options);
    loaded.announce(feeds.notes);
    const report = await loaded.session.profile(feeds.tensors, {
      runs: options.runs,
      onRun: (done, total) => loaded.progress.update({ stage: 'profile', done, total }),
    });
    return options.ceilings ? withCeilings(report, loaded.session.device, loaded.progress) : report;
  });
}

function printProfile(profile: SavedProfile): void {
  const { model, adapter, mode, runs, inputs } = profile;
  const fed = Object.entries(inputs).map(([name, dims]) => `${name} ${dims.join('x')}`);
  print(`${model}\n${adapter}, ${mode} mode`);
  print(`${fed.join(', ')}; ${runs === 1 ? 'one run' : `medians of ${runs} runs`}\n`);
  print(formatProfile(profile));
}
