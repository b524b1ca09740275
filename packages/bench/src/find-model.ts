/** A model by what a command line calls it: a path, an address, or a test model of the checkout (`resnet50`, ...). */
import { stat } from 'node:fs/promises';
import { InvalidInputError } from '@onegpu/core';
import { closestNames } from './closest-names.ts';

export interface FoundModel {
  /** Path or address. */
  readonly path: string;
  /** Of a test model: extents of its input for a batch of 1, [1, 3, height, width]. */
  readonly dims?: readonly number[];
}

/** What this file uses of the checkout's private package; a published installation lacks it. */
interface TestModels {
  isTestModelName(name: string): boolean;
  modelPath(name: string): Promise<string>;
  defaultInputDims(name: string): readonly number[];
  readonly modelNames: readonly string[];
  readonly ocrModelNames: readonly string[];
}

/**
 * A file comes before the test model of its name. What can only be a path or an address stays as it is, there or not, and so
 * does the name of a file that is like no test model's.
 * @throws InvalidInputError for a name that is neither a file nor a test model
 */
export async function findModel(name: string): Promise<FoundModel> {
  if (/[/\\:]/.test(name) || (await isFile(name))) return { path: name };
  const known = await loadTestModels();
  if (known?.isTestModelName(name)) {
    return { path: await known.modelPath(name), dims: known.defaultInputDims(name) };
  }
  if (known === undefined || (await isThere(name))) return { path: name };
  const names = [...known.modelNames, ...known.ocrModelNames];
  const closest = closestNames(name.replace(FILE_ENDING, ''), names);
  if (closest.length === 0 && FILE_ENDING.test(name)) return { path: name };
  throw unknownModel(name, closest, names);
}

const FILE_ENDING = /\.onnx$/i;

export function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  );
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function unknownModel(name: string, closest: readonly string[], known: readonly string[]): InvalidInputError {
  const choice = new Intl.ListFormat('en', { type: 'disjunction' });
  return new InvalidInputError('this is neither a file nor a test model', {
    subject: name,
    remedy:
      closest.length > 0 ? `Did you mean ${choice.format(closest)}?` : `Test models are ${known.join(', ')}.`,
  });
}

async function loadTestModels(): Promise<TestModels | undefined> {
  // Not a literal: published declarations must not ask for a package that is never published.
  const name = '@onegpu/test-models';
  try {
    return (await import(name)) as TestModels;
  } catch {
    return undefined;
  }
}
