/** The tensors a command runs a model on: arrays from files, a picture, or seeded values of a default shape. */
import { readFile } from 'node:fs/promises';
import { seededTensor } from '@onegpu/bench';
import type { GraphValue } from '@onegpu/onnx';
import { numberToHalf, Tensor } from '@onegpu/onnx';
import {
  CLASSIFIER_SIDE,
  detectionSize,
  isDetectionLike,
  isImageInput,
  normalizePicture,
  type Picture,
  PP_OCR_DETECTION,
} from '@onegpu/vision';
import { UsageError } from './failure.ts';
import { coverPicture, readPicture, resizePicture } from './image.ts';
import { checkInputNames, chooseDims } from './input-dims.ts';
import { readNpy } from './npy.ts';
import type { FeedOptions } from './options.ts';

export interface FeedSource {
  readonly inputs: readonly GraphValue[];
  readonly outputs: readonly GraphValue[];
  /** Whether the adapter is a software one; it gets smaller default shapes. */
  readonly software: boolean;
  /** A test model's extents of its picture, for those that are free. */
  readonly testDims?: readonly number[] | undefined;
}

export interface Feeds {
  readonly tensors: Record<string, Tensor>;
  /** Where each input's values come from, in the order of the model's inputs. */
  readonly sources: ReadonlyMap<string, string>;
  /** What was chosen for the caller and is to be said on standard error. */
  readonly notes: readonly string[];
}

/**
 * One tensor an input of the model.
 * @throws UsageError for options that fit no input, InvalidInputError for files that cannot be read.
 */
export async function makeFeeds(model: FeedSource, options: FeedOptions): Promise<Feeds> {
  checkInputNames('--input', options.input.keys(), model.inputs);
  checkInputNames('--shape', options.shape.keys(), model.inputs);
  const pictureInput = options.image === undefined ? undefined : choosePictureInput(model.inputs, options);
  const tensors: Record<string, Tensor> = {};
  const sources = new Map<string, string>();
  const notes: string[] = [];
  for (const input of model.inputs) {
    const file = options.input.get(input.name);
    if (file !== undefined) {
      const tensor = readNpy(await readFile(file), file);
      checkShapeOption(input.name, tensor, options);
      tensors[input.name] = tensor;
      sources.set(input.name, file);
    } else if (input === pictureInput && options.image !== undefined) {
      tensors[input.name] = await pictureFeed(await readPicture(options.image), input, model, options);
      sources.set(input.name, `${options.image}, preprocess ${options.preprocess}`);
    } else {
      const { dims, assumed } = chooseDims(input, model.outputs, {
        ...{ software: model.software, testDims: model.testDims },
        shapes: options.shape,
      });
      tensors[input.name] = seededTensor(input.type, dims, options.seed);
      sources.set(input.name, `values seeded with ${options.seed}`);
      const rule = assumed === '' ? '' : ` (${assumed}; --shape changes it)`;
      notes.push(
        `input "${input.name}": ${input.type} [${dims.join(', ')}]${rule}, values seeded with ${options.seed}`,
      );
    }
  }
  return { tensors, sources, notes };
}

/** @throws UsageError where `--shape` asks for other extents than those of the array that is given. */
function checkShapeOption(name: string, { dims }: Tensor, { shape }: FeedOptions): void {
  const wanted = shape.get(name);
  if (wanted === undefined || wanted.join() === dims.join()) return;
  throw new UsageError(
    `--shape ${name}=${wanted.join('x')} contradicts --input: the array is [${dims.join(', ')}]`,
  );
}

function choosePictureInput(inputs: readonly GraphValue[], options: FeedOptions): GraphValue {
  const open = inputs.filter((input) => isImageInput(input) && !options.input.has(input.name));
  const [only] = open;
  if (only === undefined || open.length > 1) {
    throw new UsageError(
      `--image needs one open input of [batch, 1 or 3, height, width], the model has ${open.length}`,
    );
  }
  return only;
}

async function pictureFeed(
  picture: Picture,
  input: GraphValue,
  model: FeedSource,
  options: FeedOptions,
): Promise<Tensor> {
  const [batch, channels, height, width] = pictureDims(picture, input, model, options);
  const size = { width, height };
  const fitted =
    options.preprocess === 'imagenet'
      ? await coverPicture(picture, size)
      : await resizePicture(picture, size);
  const planes = pictureValues(fitted, options.preprocess, channels);
  const repeated = new Float32Array(planes.length * batch);
  for (let index = 0; index < batch; index++) repeated.set(planes, index * planes.length);
  return toTensor(input, repeated, [batch, channels, height, width]);
}

/**
 * Extents from `--shape` or the model; free sides: the picture's own, rounded, for detection, else a test model's or 224.
 */
function pictureDims(
  picture: Picture,
  input: GraphValue,
  model: FeedSource,
  options: FeedOptions,
): readonly [number, number, number, number] {
  const wanted = options.shape.get(input.name) ?? input.dims ?? [];
  const dims = usualPictureDims(picture, input, model).map((fallback, axis) => {
    const extent = wanted[axis];
    return typeof extent === 'number' ? extent : fallback;
  });
  const [batch = 1, channels = 3, height = 1, width = 1] = dims;
  if (wanted.length !== 4 || (channels !== 1 && channels !== 3) || height === 0 || width === 0) {
    throw new UsageError(`--image cannot fill input "${input.name}" of [${wanted.join(', ')}]`);
  }
  return [batch, channels, height, width];
}

function usualPictureDims(picture: Picture, input: GraphValue, model: FeedSource): readonly number[] {
  if (!isDetectionLike(input, model.outputs))
    return model.testDims ?? [1, 3, CLASSIFIER_SIDE, CLASSIFIER_SIDE];
  const { width, height } = detectionSize(picture, PP_OCR_DETECTION);
  return [1, 3, height, width];
}

function pictureValues(
  picture: Picture,
  preprocess: FeedOptions['preprocess'],
  channels: number,
): Float32Array {
  const config =
    preprocess === 'none'
      ? { mean: [0, 0, 0] as const, std: [1 / 255, 1 / 255, 1 / 255] as const, channelOrder: 'rgb' as const }
      : { ...PP_OCR_DETECTION, channelOrder: preprocess === 'paddle' ? ('bgr' as const) : ('rgb' as const) };
  const values = normalizePicture(picture, config).data;
  if (channels === 3) return values;
  const plane = picture.width * picture.height;
  return Float32Array.from({ length: plane }, (_, pixel) => {
    const sum = (values[pixel] ?? 0) + (values[plane + pixel] ?? 0) + (values[2 * plane + pixel] ?? 0);
    return sum / 3;
  });
}

function toTensor(input: GraphValue, values: Float32Array, dims: readonly number[]): Tensor {
  if (input.type === 'float16') return new Tensor('float16', Uint16Array.from(values, numberToHalf), dims);
  if (input.type === 'uint8') return new Tensor('uint8', Uint8Array.from(values, Math.round), dims);
  return new Tensor('float32', values, dims);
}
