/** Text detection end to end: picture, network, boxes. The network is any session with one input and one map. */
import { InvalidModelError } from '@onegpu/core';
import type { Tensor } from '@onegpu/onnx';
import {
  boxesFromMap,
  type DetectionConfig,
  type Picture,
  PP_OCR_DETECTION,
  type ProbabilityMap,
  probabilityMap,
  type TextBox,
} from '@onegpu/vision';
import { readPicture } from '../image.ts';
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
  const map = await runDetection(session, input);
  return { picture, inputDims: input.dims, map, boxes: boxesFromMap(map, picture, config) };
}

async function runDetection(session: DetectionSession, input: Tensor<'float32'>): Promise<ProbabilityMap> {
  const [inputName, ...otherInputs] = session.inputNames;
  const [outputName] = session.outputNames;
  if (inputName === undefined || outputName === undefined || otherInputs.length > 0) {
    throw new InvalidModelError('text detection needs one input and one probability map', {
      subject: 'detect',
      got: `inputs [${session.inputNames.join(', ')}], outputs [${session.outputNames.join(', ')}]`,
    });
  }
  const outputs = await session.run({ [inputName]: input });
  return probabilityMap(outputs[outputName], outputName);
}
