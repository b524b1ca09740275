/** Which inputs take a picture, and which networks give a map of it back. */
import type { GraphValue } from '@onegpu/onnx';

/** Side of a classifier's picture where the model leaves it free. */
export const CLASSIFIER_SIDE = 224;

/** True for a float or byte image input, [batch, channels, height, width]. */
export function isImageInput({ dims, type }: GraphValue): boolean {
  const channels = dims?.[1];
  const imageType = type === 'float32' || type === 'float16' || type === 'uint8';
  return (
    imageType && dims?.length === 4 && (typeof channels === 'string' || channels === 1 || channels === 3)
  );
}

/** Networks whose picture may have any size and whose first output is again a map of four dimensions. */
export function isDetectionLike(input: GraphValue, outputs: readonly GraphValue[]): boolean {
  const free = typeof input.dims?.[2] === 'string' && typeof input.dims[3] === 'string';
  return free && isImageInput(input) && outputs[0]?.dims?.length === 4;
}
