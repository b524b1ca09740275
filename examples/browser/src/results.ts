/** What a model's first output says about the picture: text boxes, classes, or a map. */
import { halfToNumber, InvalidModelError } from '@onegpu/core';
import type { Tensor } from '@onegpu/onnx';
import {
  boxesFromMap,
  type PictureSize,
  PP_OCR_DETECTION,
  type ProbabilityMap,
  probabilityMap,
  type TextBox,
} from '@onegpu/vision';
import type { ModelTask } from './model-task.ts';

export interface ClassScore {
  /** Its name, or `class` and its index. */
  readonly name: string;
  /** 0..1; a softmax of the output where that is none already. */
  readonly probability: number;
}

export type Result =
  | { readonly kind: 'text'; readonly boxes: readonly TextBox[]; readonly map: ProbabilityMap }
  | { readonly kind: 'classes'; readonly classes: readonly ClassScore[]; readonly count: number }
  | { readonly kind: 'map'; readonly map: ProbabilityMap; readonly channels: number };

const SHOWN_CLASSES = 5;

/** @throws InvalidModelError for an output that is neither */
export function readResult(task: ModelTask, outputs: Record<string, Tensor>, picture: PictureSize): Result {
  const { name } = task.output;
  const output = outputs[name];
  const [batch, channels = 0, height = 1, width = 1] = output?.dims ?? [];
  if (output === undefined || batch !== 1 || output.dims.length < 2 || output.dims.length > 4) {
    throw noPicture(name, output);
  }
  if (height * width === 1) return classes(output, name, task.classes);
  if (output.dims.length !== 4) throw noPicture(name, output);
  if (channels === 1 && output.type === 'float32' && isProbabilities(output.data as Float32Array)) {
    const map = probabilityMap(output, name);
    return { kind: 'text', boxes: boxesFromMap(map, picture, PP_OCR_DETECTION), map };
  }
  const data = numbersOf(output, name).subarray(0, height * width);
  return { kind: 'map', map: { data, width, height }, channels };
}

/** Maps of one channel between 0 and 1 are taken for those of text. */
function isProbabilities(values: Float32Array): boolean {
  return values.every((value) => value >= 0 && value <= 1);
}

function classes(output: Tensor, name: string, names: readonly string[]): Result {
  const probabilities = asProbabilities(numbersOf(output, name));
  const ranked = Array.from(probabilities, (probability, index) => ({
    name: names[index] ?? `class ${index}`,
    probability,
  }));
  ranked.sort((a, b) => b.probability - a.probability);
  return { kind: 'classes', classes: ranked.slice(0, SHOWN_CLASSES), count: ranked.length };
}

/** The values themselves where they are probabilities, else their softmax. */
export function asProbabilities(values: Float32Array): Float32Array {
  const sum = values.reduce((total, value) => total + value, 0);
  if (Math.abs(sum - 1) < 1e-3 && values.every((value) => value >= 0 && value <= 1)) return values;
  const most = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const powers = values.map((value) => Math.exp(value - most));
  const all = powers.reduce((total, value) => total + value, 0);
  return powers.map((value) => value / all);
}

function numbersOf(output: Tensor, name: string): Float32Array {
  if (output.type === 'float16') return Float32Array.from(output.data as Uint16Array, halfToNumber);
  if (output.data instanceof Float32Array) return output.data;
  if (
    output.type === 'string' ||
    output.data instanceof BigInt64Array ||
    output.data instanceof BigUint64Array
  )
    throw noPicture(name, output);
  return Float32Array.from(output.data as ArrayLike<number>);
}

function noPicture(name: string, output: Tensor | undefined): InvalidModelError {
  return new InvalidModelError('the page cannot show this output', {
    subject: 'outputs',
    field: name,
    got: `${output?.type ?? 'nothing'} [${output?.dims.join(', ') ?? ''}]`,
    expected: 'scores [1, classes] or a map [1, channels, height, width]',
  });
}
