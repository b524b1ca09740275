/** `onegpu bench`: times whole models against their peers or single layers, or measures what the adapter can do. */
import {
  adapterCeilings,
  type BenchReport,
  benchLayers,
  benchMemory,
  formatBenchReport,
  formatLayersReport,
  formatMemoryReport,
  LAYER_NETWORK_NAMES,
  type LayerNetwork,
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
import { drawReportTable } from '../report-table.ts';

interface BenchCommandOptions extends DeviceOptions {
  readonly models?: readonly string[];
  readonly layers?: LayerNetwork;
  readonly ceilings?: true;
  readonly memory?: true;
  readonly throughput?: true;
  readonly tune?: true;
  readonly batch: readonly number[];
  readonly peers: readonly PeerName[];
  readonly runs: number;
  readonly warmup: number;
  readonly filter?: RegExp;
  readonly refused?: true;
  readonly refresh?: true;
}

export function addBenchCommand(program: Command): void {
  const command = program.command('bench');
  command.description('time models against their peers in turns, or the layers of a network alone');
  addDeviceOptions(command)
    .option(
      '--models <names>',
      'files or names of test models, comma-separated; name@HxW sets the picture size',
      parseNames,
    )
    .addOption(
      new Option('--batch <sizes>', 'batch sizes, comma-separated').argParser(parseBatches).default([1], '1'),
    )
    .addOption(
      new Option('--peers <names>', `comma-separated, of ${PEER_NAMES.join(', ')}`)
        .argParser(parsePeers)
        .default([], 'none'),
    )
    .option('--runs <number>', 'timed runs', parsePositive, 5)
    .option('--warmup <number>', 'untimed runs after the first, before the timed ones', parseCount, 1)
    .option('--throughput', 'with --models: also images a second, several runs in flight')
    .option('--tune', 'with --models: our layers as `onegpu tune` finds them quickest')
    .option('--memory', 'with --models: peak GPU memory in place of times, a process a runner')
    .addOption(
      new Option(
        '--layers <network>',
        'time every distinct convolution of a network, with every algorithm that takes it',
      ).choices(LAYER_NETWORK_NAMES),
    )
    .option('--filter <pattern>', 'with --layers: only layers whose name or extents match', parsePattern)
    .option('--refused', 'with --layers: list what cannot run a layer, and why')
    .option('--ceilings', 'print what the adapter can do at most; measured once and kept')
    .option('--refresh', 'measure the ceilings again')
    .action(bench);
}

async function bench(options: BenchCommandOptions): Promise<void> {
  const { models, layers, ceilings } = options;
  const asked = [models, layers, ceilings].filter((choice) => choice !== undefined).length;
  if (asked !== 1) throw new UsageError('Ask for one of --models, --layers and --ceilings.');
  if (models !== undefined) await (options.memory ? printMemory : printModels)(models, options);
  else if (layers !== undefined) await printLayers(layers, options);
  else await printCeilings(options);
}

async function printModels(models: readonly string[], options: BenchCommandOptions): Promise<void> {
  const { batch: batches, peers, runs, warmup, adapter, mode, throughput, tune } = options;
  const asked = {
    ...{ models, batches, peers, runs, warmup, adapter, mode },
    ...(throughput && { throughput }),
    ...(tune && { tune }),
  };
  const report = await withProgress((progress) =>
    runBenchmark(asked, ({ label, done, total }) => progress.update({ stage: label, done, total })),
  );
  if (options.json) printJson(report);
  else print(formatBenchReport(report, drawReportTable));
  if (ownRunRefused(report)) throw new FailedOutcome();
}

/** A peer that refuses a model is told in its row; our own refusal is a failure. */
function ownRunRefused({ rows }: BenchReport): boolean {
  return rows.some((row) => row.runner === 'onegpu' && row.timing === undefined);
}

async function printMemory(models: readonly string[], options: BenchCommandOptions): Promise<void> {
  const { batch: batches, peers, adapter, mode } = options;
  const report = await withProgress((progress) =>
    benchMemory({ models, batches, peers, adapter, mode }, ({ label, done, total }) =>
      progress.update({ stage: label, done, total }),
    ),
  );
  if (options.json) printJson(report);
  else print(formatMemoryReport(report, drawReportTable));
  if (report.rows.some(({ runner, note }) => runner === 'onegpu' && note !== undefined)) {
    throw new FailedOutcome();
  }
}

async function printLayers(network: LayerNetwork, options: BenchCommandOptions): Promise<void> {
  const { batch: batches, adapter, mode, filter, refresh, refused } = options;
  const report = await withProgress((progress) =>
    benchLayers(
      {
        ...{ network, batches, adapter, mode, refresh: refresh === true },
        ...(filter === undefined ? {} : { filter }),
      },
      ({ label, done, total }) => progress.update({ stage: label, done, total }),
    ),
  );
  if (options.json) printJson(report);
  else print(formatLayersReport(report, { refused: refused === true, draw: drawReportTable }));
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

function parsePattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : 'It is no pattern.');
  }
}
