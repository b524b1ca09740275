/**
 * Extents for inputs that nobody gave: what the model fixes, what `--shape` says, a test model's own, and for the rest
 * a rule - batch 1, channels 3, image sides 224, or 640 (320 on a software adapter) for networks that give a map back,
 * as text detection does.
 */

import type { GraphValue } from '@onegpu/onnx';
import { CLASSIFIER_SIDE, isDetectionLike, isImageInput } from '@onegpu/vision';
import { UsageError } from './failure.ts';

export const DETECTOR_SIDE = 640;
export const SOFTWARE_DETECTOR_SIDE = 320;

export interface DimsRule {
  readonly software: boolean;
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /** A test model's extents of its picture, [batch, channels, height, width]. */
  readonly testDims?: readonly number[] | undefined;
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
  const image = isImageInput(input);
  const side = defaultSide(input, outputs, rule.software);
  const usual = image ? (rule.testDims ?? [1, 3, side, side]) : [];
  const assumed: string[] = [];
  const dims = input.dims.map((extent, axis) => {
    if (typeof extent === 'number') return extent;
    const chosen = usual[axis] ?? 1;
    assumed.push(`${axisName(axis, image)} ${chosen}`);
    return chosen;
  });
  return { dims, assumed: assumed.join(', ') };
}

function axisName(axis: number, image: boolean): string {
  if (axis === 0) return 'batch';
  return (image && ['', 'channels', 'height', 'width'][axis]) || `axis ${axis}`;
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
