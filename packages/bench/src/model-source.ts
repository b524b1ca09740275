/**
 * Which models a benchmark can name: those of the checkout's test-models package (`resnet50`, `ocr-det`, ...), or
 * a path. `@HxW` behind either sets height and width of the picture: `ocr-det@320x320`, `model.onnx@480x640`.
 */
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { InvalidInputError } from '@onegpu/core';

export interface BenchModel {
  /** What reports call it. */
  readonly label: string;
  readonly path: string;
  /** Extents for a batch of 1 where the name or the suffix fixes them: [1, 3, height, width]. */
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

export interface ModelSpec {
  readonly name: string;
  readonly height?: number;
  readonly width?: number;
}

/** Splits off the picture size. @throws RangeError for a size that is no two positive integers */
export function parseModelSpec(spec: string): ModelSpec {
  const match = /^(.+)@(\d+)x(\d+)$/.exec(spec);
  if (match === null) return { name: spec };
  const [height, width] = [Number(match[2]), Number(match[3])];
  if (height === 0 || width === 0) throw new RangeError(`"${spec}": height and width start at 1`);
  return { name: match[1] ?? '', height, width };
}

/** @throws InvalidInputError when the name is neither a known model nor a file */
export async function resolveModel(spec: string): Promise<BenchModel> {
  const { name, height, width } = parseModelSpec(spec);
  const size = height === undefined || width === undefined ? undefined : [1, 3, height, width];
  const known = await loadTestModels();
  if (known?.isTestModelName(name)) {
    const dims = size ?? known.defaultInputDims(name);
    return { label: name, path: await known.modelPath(name), dims };
  }
  if (!(await isFile(name))) {
    const names = known === undefined ? [] : [...known.modelNames, ...known.ocrModelNames];
    throw new InvalidInputError('there is no such file or test model', {
      subject: name,
      expected: names.length === 0 ? 'a file' : `a file or one of ${names.join(', ')}`,
    });
  }
  return { label: basename(name, '.onnx'), path: name, ...(size === undefined ? {} : { dims: size }) };
}

/** Where a file lies, or the test model of that name where there is no such file; other names stay as they are. */
export async function modelFile(name: string): Promise<string> {
  if (await isFile(name)) return name;
  const known = await loadTestModels();
  return known?.isTestModelName(name) ? known.modelPath(name) : name;
}

function isFile(name: string): Promise<boolean> {
  return access(name).then(
    () => true,
    () => false,
  );
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
