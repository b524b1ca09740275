/** A picture scaled and normalised for text detection. */
import type { Tensor } from '@onegpu/onnx';
import { type DetectionConfig, detectionSize, normalizePicture, type Picture } from '@onegpu/vision';
import { resizePicture } from '../image.ts';

/** The network's input for a picture, float32 [1, 3, height, width]. */
export async function preprocessPicture(
  picture: Picture,
  config: DetectionConfig,
): Promise<Tensor<'float32'>> {
  const size = detectionSize(picture, config);
  return normalizePicture(await resizePicture(picture, size), config);
}
