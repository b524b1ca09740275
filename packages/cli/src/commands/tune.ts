/** `onegpu tune MODEL`: times every distinct layer in the ways it can run here, and keeps what is quickest. */
import { type FoundModel, findModel } from '@onegpu/bench';
import type { GpuDevice } from '@onegpu/core';
import { type GraphValue, type InputDims, type TuneReport, tuneModel } from '@onegpu/onnx';
import type { Command } from 'commander';
import { checkInputNames, chooseDims } from '../input-dims.ts';
import { withDevice } from '../model-session.ts';
import {
  adapterOption,
  addShapeOption,
  type DeviceOptions,
  parsePositive,
  type ShapeOptions,
} from '../options.ts';
import { note, print, printJson } from '../output.ts';
import { type Progress, withProgress } from '../progress.ts';
import { formatTuning } from '../tune-table.ts';

interface TuneOptions extends Pick<DeviceOptions, 'adapter' | 'json'>, ShapeOptions {
  readonly refresh?: true;
  /** Seconds. */
  readonly limit?: number;
}

/** Shorter waits need no words. */
const TOLD_MS = 5_000;

export function addTuneCommand(program: Command): void {
  const command = program
    .command('tune')
    .argument('<model>', 'ONNX file; in the checkout also the name of a test model, as resnet50');
  command.description('measure which kernels are quickest here, layer by layer, and keep the choices');
  addShapeOption(command)
    .addOption(adapterOption())
    .option('--json', 'print JSON alone on standard output')
    .option('--refresh', 'measure also what was measured before')
    .option(
      '--limit <seconds>',
      'begin no further layer after this time; default 180, software adapter 600',
      parsePositive,
    )
    .action(tune);
}

async function tune(model: string, options: TuneOptions): Promise<void> {
  const found = await findModel(model);
  const report = await withDevice(options, (device) =>
    withProgress((progress) => tuneOn(device, { found, options, progress })),
  );
  for (const warning of report.warnings) note(warning);
  if (options.json) printJson({ model, ...report });
  else print(`${model}\n${formatTuning(report)}`);
}

interface TuneTask {
  readonly found: FoundModel;
  readonly options: TuneOptions;
  readonly progress: Progress;
}

async function tuneOn(device: GpuDevice, { found, options, progress }: TuneTask): Promise<TuneReport> {
  const { shape, refresh, limit } = options;
  const { software } = device.capabilities;
  let told = false;
  return tuneModel(found.path, {
    device,
    dims: Object.fromEntries(shape),
    otherDims: (inputs, outputs) =>
      otherDims(inputs, outputs, { software, shapes: shape, testDims: found.dims }),
    refresh: refresh === true,
    ...(limit === undefined ? {} : { limitMs: limit * 1e3 }),
    onLoad: (step) => progress.update(step),
    onProgress: ({ done, total, estimatedMs }) => {
      if (software && !told && estimatedMs > TOLD_MS) {
        progress.stop();
        const words = `a software adapter: ${total} layers take ${roughly(estimatedMs)}`;
        note(`${words}, or as long as --limit says; what was measured by then is kept`);
      }
      told = true;
      progress.update({ stage: 'tune', done, total });
    },
  });
}

/** What `run` and `profile` would take too. */
function otherDims(
  inputs: readonly GraphValue[],
  outputs: readonly GraphValue[],
  rule: Parameters<typeof chooseDims>[2],
): InputDims {
  checkInputNames('--shape', rule.shapes.keys(), inputs);
  return Object.fromEntries(
    inputs.map((input) => {
      const { dims, assumed } = chooseDims(input, outputs, rule);
      if (assumed !== '')
        note(`input "${input.name}": [${dims.join(', ')}] (${assumed}; --shape changes it)`);
      return [input.name, dims];
    }),
  );
}

function roughly(ms: number): string {
  return ms < 90_000 ? `about ${Math.ceil(ms / 10_000) * 10} s` : `about ${Math.ceil(ms / 60_000)} min`;
}
