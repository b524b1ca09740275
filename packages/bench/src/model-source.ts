/**
 * Which models a benchmark can name: those of the checkout's test-models package (`resnet50`, `ocr-det`, ...), or
 * a path. `@HxW` behind either sets height and width of the picture: `ocr-det@320x320`, `model.onnx@480x640`.
 */
import { basename } from 'node:path';
import { InvalidInputError } from '@onegpu/core';
import { findModel, isFile } from './find-model.ts';

export interface BenchModel {
  /** What reports call it. */
  readonly label: string;
  readonly path: string;
  /** Extents for a batch of 1 where the name or the suffix fixes them: [1, 3, height, width]. */
  readonly dims?: readonly number[];
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
  const { path, dims } = await findModel(name);
  if (!(await isFile(path))) {
    throw new InvalidInputError('there is no such file', { subject: name, expected: 'a path' });
  }
  const asked = size ?? dims;
  return { label: basename(name, '.onnx'), path, ...(asked === undefined ? {} : { dims: asked }) };
}
