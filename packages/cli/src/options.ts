/** Options that several commands share, and how their texts are read; a wrong text is a UsageError (exit code 2). */
import type { AdapterChoice } from '@onegpu/core';
import { type Command, InvalidArgumentError, Option } from 'commander';

export interface DeviceOptions {
  readonly adapter: AdapterChoice;
  readonly mode: 'fast' | 'deterministic';
  readonly json?: true;
}

export interface ShapeOptions {
  readonly shape: ReadonlyMap<string, readonly number[]>;
}

export interface FeedOptions extends ShapeOptions {
  readonly input: ReadonlyMap<string, string>;
  readonly image?: string;
  readonly preprocess: 'imagenet' | 'paddle' | 'none';
  readonly seed: number;
}

export function addDeviceOptions(command: Command): Command {
  return command
    .addOption(adapterOption())
    .addOption(new Option('--mode <mode>', 'numeric mode').choices(['fast', 'deterministic']).default('fast'))
    .option('--json', 'print JSON alone on standard output');
}

/** For commands that run a model. */
export function addTuneOption(command: Command): Command {
  return command.option(
    '--tune',
    'run each layer as `onegpu tune` finds it quickest; measures what it has not yet',
  );
}

export interface TuneOption {
  readonly tune?: true;
}

export function adapterOption(): Option {
  return new Option('--adapter <kind>', 'kind of adapter')
    .choices(['auto', 'hardware', 'software'])
    .default('auto');
}

export function addShapeOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--shape <name=1x3x640x640>',
      'dims of an input, also in place of fixed ones; repeat for more inputs',
    )
      .argParser(parseShape)
      .default(
        new Map(),
        "the model's; free dims: a test model's own, else batch 1, 3 channels, sides 224, or 640 (software adapter: 320) " +
          'for detectors',
      ),
  );
}

export function addFeedOptions(command: Command): Command {
  return addShapeOption(command)
    .option('--image <file>', 'feed a picture (PNG, JPEG, WebP, TIFF, ...) to the image input')
    .addOption(
      new Option('--input <name=file.npy>', 'feed an array; repeat for more inputs')
        .argParser(parseInput)
        .default(new Map(), 'seeded values'),
    )
    .addOption(
      new Option(
        '--preprocess <kind>',
        'how a picture becomes the input. imagenet: RGB, covers the input, ImageNet mean and deviation; ' +
          'paddle: BGR, stretched to the input, the same values; none: RGB bytes 0..255, stretched',
      )
        .choices(['imagenet', 'paddle', 'none'])
        .default('imagenet'),
    )
    .option('--seed <number>', 'seed of the values of inputs that are not given', parseCount, 1);
}

type Named<T> = ReadonlyMap<string, T>;

/** `name=file.npy`; the name may hold `=` itself, a file name may not. */
export function parseInput(text: string, before: Named<string>): Named<string> {
  const [name, file] = splitNamed(text, 'name=file.npy');
  return addOnce(before, name, file);
}

/** `name=1x3x640x640`; `name=` alone is a scalar. */
export function parseShape(text: string, before: Named<readonly number[]>): Named<readonly number[]> {
  const [name, extents] = splitNamed(text, 'name=1x3x640x640');
  const dims = extents === '' ? [] : extents.split(/[x,]/).map(toExtent);
  return addOnce(before, name, dims);
}

function toExtent(text: string): number {
  const extent = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(extent)) {
    throw new InvalidArgumentError(`"${text}" is no extent; write for example name=1x3x640x640.`);
  }
  return extent;
}

/** A whole number, 0 or more. */
export function parseCount(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(count)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return count;
}

/** A whole number, 1 or more. */
export function parsePositive(text: string): number {
  const count = parseCount(text);
  if (count === 0) throw new InvalidArgumentError('It must be 1 or more.');
  return count;
}

/** A number over 0. */
export function parseNumber(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value) || value < 0) throw new InvalidArgumentError('It must be a number, 0 or more.');
  return value;
}

function splitNamed(text: string, form: string): readonly [string, string] {
  const at = text.lastIndexOf('=');
  if (at <= 0) throw new InvalidArgumentError(`Write it as ${form}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function addOnce<T>(before: Named<T>, name: string, value: T): Named<T> {
  if (before.has(name)) throw new InvalidArgumentError(`"${name}" is given twice.`);
  return new Map(before).set(name, value);
}
