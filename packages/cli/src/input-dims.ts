/**
 * Extents for inputs that nobody gave: what the model fixes, what `--shape` says, and for the rest a rule - batch 1,
 * channels 3, image sides 224, or 640 (320 on a software adapter) for networks that give a map back, as text
 * detection does.
 */

import type { GraphValue } from '@onegpu/onnx';
import { CLASSIFIER_SIDE, isDetectionLike, isImageInput } from '@onegpu/vision';
import { UsageError } from './failure.ts';

export const DETECTOR_SIDE = 640;
export const SOFTWARE_DETECTOR_SIDE = 320;

export interface DimsRule {
  readonly software: boolean;
  readonly shapes: ReadonlyMap<string, readonly number[]>;
}

export interface ChosenDims {
  readonly dims: readonly number[];
  /** What was chosen for the caller, for a remark; empty where nothing was. */
  readonly assumed: string;
}

/** Side length for free image sides. */
export function defaultSide(input: GraphValue, outputs: readonly GraphValue[], software: boolean): number {
  if (!isDetectionLike(input, outputs)) return CLASSIFIER_SIDE;
  return software ? SOFTWARE_DETECTOR_SIDE : DETECTOR_SIDE;
}

/** Extents of one input. @throws UsageError where the model gives no rank and `--shape` is missing. */
export function chooseDims(input: GraphValue, outputs: readonly GraphValue[], rule: DimsRule): ChosenDims {
  const given = rule.shapes.get(input.name);
  if (given !== undefined) return { dims: given, assumed: '' };
  if (input.dims === undefined) {
    throw new UsageError(`the model gives no rank for input "${input.name}"; add --shape ${input.name}=...`);
  }
  const side = defaultSide(input, outputs, rule.software);
  const image = isImageInput(input);
  const assumed: string[] = [];
  const dims = input.dims.map((extent, axis) => {
    if (typeof extent === 'number') return extent;
    const [name, chosen] = freeExtent(axis, image, side);
    assumed.push(`${name} ${chosen}`);
    return chosen;
  });
  return { dims, assumed: assumed.join(', ') };
}

function freeExtent(axis: number, image: boolean, side: number): readonly [string, number] {
  if (axis === 0) return ['batch', 1];
  if (!image) return [`axis ${axis}`, 1];
  return axis === 1 ? ['channels', 3] : [axis === 2 ? 'height' : 'width', side];
}

/** @throws UsageError for a name that is no input of the model. */
export function checkInputNames(
  option: string,
  names: Iterable<string>,
  inputs: readonly GraphValue[],
): void {
  const known = inputs.map((input) => input.name);
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new UsageError(`${option} ${name}=...: the model has no such input; it has ${known.join(', ')}`);
  }
}
