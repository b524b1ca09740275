/** What a model is for, as far as its inputs and outputs tell, and how a picture is put into it. */
import { InvalidModelError } from '@onegpu/core';
import type { GraphValue } from '@onegpu/onnx';
import {
  CLASSIFIER_SIDE,
  detectionSize,
  isDetectionLike,
  isImageInput,
  type PictureSize,
  PP_OCR_DETECTION,
} from '@onegpu/vision';
import type { BundledModel } from './catalogue.ts';
import type { ImageSpec } from './prepare-image.ts';

export interface ModelTask {
  readonly input: GraphValue;
  readonly output: GraphValue;
  /** Whether the input's sides may be chosen. */
  readonly freeSize: boolean;
  readonly channelOrder: 'rgb' | 'bgr';
  /** Sides that the model leaves free, where it is no detector. */
  readonly defaultSize: PictureSize;
  /** Names of the classes; empty where they are not known. */
  readonly classes: readonly string[];
  /** Scaled whole for maps of the picture, its middle cut out for classifiers. */
  readonly fit: ImageSpec['fit'];
}

/** What a model's inputs and outputs do not tell. */
export type TaskHints = Pick<Partial<BundledModel>, 'channelOrder' | 'size' | 'classes'>;

export interface SessionValues {
  readonly inputs: readonly GraphValue[];
  readonly outputs: readonly GraphValue[];
}

/** @throws InvalidModelError for a model that does not take exactly one picture */
export function taskOf({ inputs, outputs }: SessionValues, hints: TaskHints = {}): ModelTask {
  const [input, ...more] = inputs;
  const [output] = outputs;
  if (input === undefined || output === undefined || more.length > 0 || !isImageInput(input)) {
    const words = inputs.map(({ name, type, dims }) => `${name}: ${type} [${dims?.join(', ') ?? '?'}]`);
    throw new InvalidModelError('this page runs models whose one input is a picture', {
      subject: 'inputs',
      got: words.join(', ') || 'none',
      expected: 'one of [batch, 1 or 3, height, width]',
    });
  }
  const freeSize = isDetectionLike(input, outputs);
  return {
    input,
    output,
    freeSize,
    channelOrder: hints.channelOrder ?? (freeSize ? 'bgr' : 'rgb'),
    defaultSize: hints.size ?? { width: CLASSIFIER_SIDE, height: CLASSIFIER_SIDE },
    classes: hints.classes ?? [],
    fit: output.dims?.length === 4 || freeSize ? 'fill' : 'cover',
  };
}

/** The tensor a picture of `size` becomes; `longestSide` limits the longer side where sides are free. */
export function imageSpec(task: ModelTask, size: PictureSize, longestSide: number): ImageSpec {
  const [, channels, height, width] = task.input.dims ?? [];
  const free = task.freeSize
    ? detectionSize(size, { ...PP_OCR_DETECTION, limitSideLength: longestSide })
    : task.defaultSize;
  return {
    dims: [
      1,
      typeof channels === 'number' ? channels : 3,
      typeof height === 'number' ? height : free.height,
      typeof width === 'number' ? width : free.width,
    ],
    type: task.input.type as ImageSpec['type'],
    fit: task.fit,
    normalize: { ...PP_OCR_DETECTION, channelOrder: task.channelOrder },
  };
}
