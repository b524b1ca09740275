/** `onegpu run MODEL`: runs a model once and prints its outputs. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tensor } from '@onegpu/onnx';
import type { Command } from 'commander';
import { makeFeeds } from '../feeds.ts';
import { makeFolder } from '../make-folder.ts';
import { withModel } from '../model-session.ts';
import { writeNpy } from '../npy.ts';
import {
  addDeviceOptions,
  addFeedOptions,
  addTuneOption,
  type DeviceOptions,
  type FeedOptions,
  type TuneOption,
} from '../options.ts';
import { print, printJson } from '../output.ts';
import { outputFileNames } from '../output-names.ts';
import { summarizeTensor, type TensorSummary, topClasses } from '../summary.ts';
import { wrapItems } from '../wrap-items.ts';

interface RunOptions extends DeviceOptions, FeedOptions, TuneOption {
  readonly output?: string;
}

interface RunOutput extends TensorSummary {
  readonly name: string;
  /** Where the array was written. */
  readonly file?: string;
  /** The elements, for outputs of at most `INLINE_ELEMENTS`. */
  readonly data?: Tensor['data'];
  readonly top?: ReturnType<typeof topClasses>;
}

interface RunReport {
  readonly model: string;
  readonly adapter: string;
  readonly mode: string;
  readonly inputs: readonly { name: string; type: string; dims: readonly number[]; source: string }[];
  readonly outputs: readonly RunOutput[];
  /** Reading the model and compiling for these inputs. */
  readonly loadMs: number;
  /** The run alone, tensors in and out. */
  readonly runMs: number;
}

const INLINE_ELEMENTS = 1024;
const TOP_COUNT = 5;

export function addRunCommand(program: Command): void {
  const command = program
    .command('run')
    .argument('<model>', 'ONNX file; in the checkout also the name of a test model, as resnet50');
  command.description('run a model once and print its outputs');
  addTuneOption(addDeviceOptions(addFeedOptions(command)))
    .option('--output <folder>', 'write each output as .npy')
    .action(runModel);
}

async function runModel(model: string, options: RunOptions): Promise<void> {
  if (options.output !== undefined) await makeFolder(options.output);
  const report = await withModel(model, options, async (loaded): Promise<RunReport> => {
    const feeds = await makeFeeds(loaded, options);
    loaded.announce(feeds.notes);
    const start = performance.now();
    const results = await loaded.session.run(feeds.tensors);
    const end = performance.now();
    const prepared = Math.max(start, loaded.preparedAt()); // The first run of these extents compiles.
    const files = outputFileNames(Object.keys(results));
    return {
      model,
      adapter: loaded.adapter,
      mode: options.mode,
      inputs: Object.entries(feeds.tensors).map(([name, { type, dims }]) => ({
        name,
        type,
        dims,
        source: feeds.sources.get(name) ?? '',
      })),
      outputs: await Promise.all(
        Object.entries(results).map(async ([name, tensor], index) => {
          const { output } = options;
          const file = output === undefined ? undefined : join(output, `${files[index]}.npy`);
          if (file !== undefined) await writeFile(file, writeNpy(tensor));
          return describeOutput(name, tensor, file);
        }),
      ),
      loadMs: loaded.loadMs + prepared - start,
      runMs: end - prepared,
    };
  });
  if (options.json) printJson(report);
  else print(formatReport(report));
}

function describeOutput(name: string, tensor: Tensor, file: string | undefined): RunOutput {
  const top = tensor.type.startsWith('float') ? topClasses(tensor, TOP_COUNT) : undefined;
  return {
    name,
    ...summarizeTensor(tensor),
    ...(file === undefined ? {} : { file }),
    ...(top === undefined ? {} : { top }),
    ...(tensor.size > INLINE_ELEMENTS ? {} : { data: tensor.data }),
  };
}

function formatReport(report: RunReport): string {
  const lines = [`model    ${report.model}`, `adapter  ${report.adapter}, ${report.mode} mode`];
  for (const { name, type, dims, source } of report.inputs) {
    lines.push(`input    ${name} ${type} [${dims.join(', ')}], ${source}`);
  }
  for (const output of report.outputs) lines.push(...formatOutput(output));
  lines.push(`time     load and compile ${formatMs(report.loadMs)}, run ${formatMs(report.runMs)}`);
  return lines.join('\n');
}

function formatOutput(output: RunOutput): readonly string[] {
  const { name, type, dims, min, max, mean, nan, file } = output;
  const range =
    min === undefined || max === undefined || mean === undefined
      ? ''
      : `, min ${toShort(min)}, max ${toShort(max)}, mean ${toShort(mean)}`;
  const lines = [`output   ${name} ${type} [${dims.join(', ')}]${range}${nan ? `, ${nan} NaN` : ''}`];
  for (const row of output.top ?? []) {
    const largest = row.map(({ index, value }) => `#${index} ${toShort(value)}`);
    lines.push(wrapItems('         largest ', largest));
  }
  if (file !== undefined) lines.push(`         written to ${file}`);
  return lines;
}

function toShort(value: number): string {
  return String(Number(value.toPrecision(5)));
}

function formatMs(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : `${Math.round(ms)} ms`;
}
