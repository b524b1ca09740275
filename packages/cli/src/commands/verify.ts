/** `onegpu verify MODEL`: every node alone on the GPU against float64, then the whole model. */
import { basename, join } from 'node:path';
import { type VerifyReport, verifyModel } from '@onegpu/onnx/verify';
import type { Command } from 'commander';
import { FailedOutcome } from '../failure.ts';
import { makeFeeds } from '../feeds.ts';
import { withModel } from '../model-session.ts';
import { addDeviceOptions, addFeedOptions, type DeviceOptions, type FeedOptions } from '../options.ts';
import { print, printJson } from '../output.ts';
import { outputFileNames } from '../output-names.ts';
import { formatVerification } from '../verify/format.ts';
import { writeCase } from '../verify/write-case.ts';

interface VerifyCommandOptions extends DeviceOptions, FeedOptions {
  readonly output?: string;
  readonly all?: true;
}

interface PrintedReport extends VerifyReport {
  readonly model: string;
  /** Folder of the case that was written. */
  readonly caseFolder?: string;
}

export function addVerifyCommand(program: Command): void {
  const command = program
    .command('verify')
    .argument('<model>', 'ONNX file; in the checkout also the name of a test model, as resnet50');
  command.description('hold every node of a model against float64, then the whole model');
  addDeviceOptions(addFeedOptions(command))
    .option('--all', 'print every node, not only the worst 20')
    .option(
      '--output <folder>',
      'where the first node past its bound is written as a test case (default: a folder in verify-cases)',
    )
    .action(verify);
}

async function verify(model: string, options: VerifyCommandOptions): Promise<void> {
  const report = await withModel(model, options, async (loaded): Promise<PrintedReport> => {
    const feeds = await makeFeeds(loaded, options);
    loaded.announce(feeds.notes);
    const { report, failure } = await verifyModel(loaded.path, feeds.tensors, {
      device: loaded.session.device,
      mode: options.mode,
      onProgress: loaded.progress.update,
      ...(options.shape.size === 0 ? {} : { dims: Object.fromEntries(options.shape) }),
    });
    if (failure === undefined) return { model, ...report };
    const caseFolder = options.output ?? defaultFolder(model, failure.node);
    await writeCase(caseFolder, failure);
    return { model, ...report, caseFolder };
  });
  if (options.json) printJson(report);
  else
    print(formatVerification(report, { model, all: options.all === true, rerun: rerunOf(report, options) }));
  if (!report.passed) throw new FailedOutcome();
}

/** The command for the case that was written, on the same adapter and in the same mode. */
function rerunOf({ caseFolder }: PrintedReport, { adapter, mode }: DeviceOptions): string | undefined {
  if (caseFolder === undefined) return undefined;
  const words = ['onegpu', 'conformance', caseFolder];
  if (adapter !== 'auto') words.push('--adapter', adapter);
  if (mode !== 'fast') words.push('--mode', mode);
  return words.join(' ');
}

/** `verify-cases/<model>-<node>`, in letters that every file system takes. */
function defaultFolder(model: string, node: string): string {
  const [name = 'case'] = outputFileNames([`${basename(model, '.onnx')}-${node}`]);
  return join('verify-cases', name);
}
