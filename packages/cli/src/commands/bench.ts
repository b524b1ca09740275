/** `onegpu bench`: times whole models against their peers, or measures what the adapter can do at most. */
import {
  adapterCeilings,
  type BenchReport,
  formatBenchReport,
  PEER_NAMES,
  type PeerName,
  runBenchmark,
} from '@onegpu/bench';
import { GpuDevice } from '@onegpu/core';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatCeilings } from '../ceilings-text.ts';
import { FailedOutcome, UsageError } from '../failure.ts';
import { addDeviceOptions, type DeviceOptions, parseCount, parsePositive } from '../options.ts';
import { print, printJson } from '../output.ts';
import { withProgress } from '../progress.ts';

interface BenchCommandOptions extends DeviceOptions {
  readonly models?: readonly string[];
  readonly ceilings?: true;
  readonly refresh?: true;
  readonly batch: readonly number[];
  readonly peers: readonly PeerName[];
  readonly runs: number;
  readonly warmup: number;
}

export function addBenchCommand(program: Command): void {
  const command = program.command('bench');
  command.description('time models against their peers, in turns');
  addDeviceOptions(command)
    .option(
      '--models <names>',
      'files or names of test models, comma-separated; name@HxW sets the picture size',
      parseNames,
    )
    .option('--batch <sizes>', 'batch sizes, comma-separated', parseBatches, [1])
    .addOption(
      new Option('--peers <names>', `comma-separated, of ${PEER_NAMES.join(', ')}`)
        .argParser(parsePeers)
        .default([], 'none'),
    )
    .option('--runs <number>', 'timed runs', parsePositive, 5)
    .option('--warmup <number>', 'untimed runs after the first, before the timed ones', parseCount, 1)
    .option('--ceilings', 'print what the adapter can do at most; measured once and kept')
    .option('--refresh', 'measure the ceilings again')
    .action(bench);
}

async function bench(options: BenchCommandOptions): Promise<void> {
  if (options.ceilings) await printCeilings(options);
  else if (options.models === undefined)
    throw new UsageError('Name models with --models, or ask for --ceilings.');
  else await benchModels(options.models, options);
}

async function printCeilings({ adapter, refresh, json }: BenchCommandOptions): Promise<void> {
  const device = await GpuDevice.create({ adapter });
  try {
    const ceilings = await withProgress((progress) =>
      adapterCeilings(device, {
        refresh: refresh === true,
        onProgress: ({ label, done, total }) => progress.update({ stage: label, done, total }),
      }),
    );
    if (json) printJson(ceilings);
    else print(formatCeilings(ceilings));
  } finally {
    await device.disposeAsync();
  }
}

async function benchModels(models: readonly string[], options: BenchCommandOptions): Promise<void> {
  const { batch: batches, peers, runs, warmup, adapter, mode } = options;
  const report = await withProgress((progress) =>
    runBenchmark({ models, batches, peers, runs, warmup, adapter, mode }, ({ label, done, total }) =>
      progress.update({ stage: label, done, total }),
    ),
  );
  if (options.json) printJson(report);
  else print(formatBenchReport(report));
  if (ownRunRefused(report)) throw new FailedOutcome();
}

/** A peer that refuses a model is told in its row; our own refusal is a failure. */
function ownRunRefused({ rows }: BenchReport): boolean {
  return rows.some((row) => row.runner === 'onegpu' && row.timing === undefined);
}

function parseNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.some((name) => name === '')) throw new InvalidArgumentError('A name is empty.');
  return names;
}

function parseBatches(text: string): readonly number[] {
  return text.split(',').map((part) => parsePositive(part.trim()));
}

function parsePeers(text: string): readonly PeerName[] {
  return parseNames(text).map((name) => {
    const peer = PEER_NAMES.find((known) => known === name);
    if (peer === undefined) throw new InvalidArgumentError(`"${name}" is none of ${PEER_NAMES.join(', ')}.`);
    return peer;
  });
}
