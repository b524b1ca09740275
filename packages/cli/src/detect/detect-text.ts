/** Text detection end to end: picture, network, boxes. The network is any session with one input and one map. */
import { InvalidModelError } from '@onegpu/core';
import type { Tensor } from '@onegpu/onnx';
import { type Picture, readPicture } from '../image.ts';
import { type DetectionConfig, PP_OCR_DETECTION } from './config.ts';
import { boxesFromMap, type ProbabilityMap, type TextBox } from './postprocess.ts';
import { preprocessPicture } from './preprocess.ts';

/** What detection asks of a session; an `InferenceSession` fits. */
export interface DetectionSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, Tensor>): Promise<Record<string, Tensor>>;
}

export interface TextDetection {
  readonly picture: Picture;
  /** Extents of the network's input, [1, 3, height, width]. */
  readonly inputDims: readonly number[];
  readonly map: ProbabilityMap;
  readonly boxes: readonly TextBox[];
}

/**
 * Finds the text lines of a picture (file, bytes or pixels).
 * @throws InvalidInputError for a picture that cannot be read, InvalidModelError for a network of another kind.
 */
export async function detectText(
  session: DetectionSession,
  source: string | Uint8Array | Picture,
  config: DetectionConfig = PP_OCR_DETECTION,
): Promise<TextDetection> {
  const picture =
    typeof source === 'string' || source instanceof Uint8Array ? await readPicture(source) : source;
  const input = await preprocessPicture(picture, config);
  const map = await probabilityMap(session, input);
  return { picture, inputDims: input.dims, map, boxes: boxesFromMap(map, picture, config) };
}

async function probabilityMap(session: DetectionSession, input: Tensor<'float32'>): Promise<ProbabilityMap> {
  const [inputName, ...otherInputs] = session.inputNames;
  const [outputName] = session.outputNames;
  if (inputName === undefined || outputName === undefined || otherInputs.length > 0) {
    throw new InvalidModelError('text detection needs one input and one probability map', {
      subject: 'detect',
      got: `inputs [${session.inputNames.join(', ')}], outputs [${session.outputNames.join(', ')}]`,
    });
  }
  const output = (await session.run({ [inputName]: input }))[outputName];
  const [batch, channels, height, width] = output?.dims ?? [];
  if (
    !(output?.data instanceof Float32Array) ||
    output.dims.length !== 4 ||
    batch !== 1 ||
    channels !== 1 ||
    height === undefined ||
    width === undefined
  ) {
    throw new InvalidModelError('the output is no probability map', {
      subject: 'detect',
      field: outputName,
      got: `${output?.type ?? 'nothing'} [${output?.dims.join(', ') ?? ''}]`,
      expected: 'float32 [1, 1, height, width]',
    });
  }
  return { data: output.data, width, height };
}
