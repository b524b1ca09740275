/** Models and pictures that a page runs in milliseconds, and files that it must refuse. */
import { convLayerModel } from '@onegpu/test-models';
import onnxProto from 'onnx-proto';
import sharp from 'sharp';

/** One 3x3 convolution from three planes to two, over a square picture of `side`. */
export function smallModel(side = 24): Uint8Array {
  const layer = { src: [1, 3, side, side], weights: [2, 3, 3, 3], strides: [1, 1], dilations: [1, 1] };
  const weights = Float32Array.from({ length: 54 }, (_, index) => (index % 7) - 3);
  return convLayerModel({ ...layer, pads: [1, 1, 1, 1], groups: 1 }, weights, new Float32Array(2));
}

/** The small model with one node of an operator that nobody has. */
export function unsupportedModel(): Uint8Array {
  const { ModelProto } = onnxProto.onnx;
  const model = ModelProto.decode(smallModel());
  const [node] = model.graph?.node ?? [];
  if (node !== undefined) Object.assign(node, { opType: 'Frobnicate', name: 'odd one', attribute: [] });
  return ModelProto.encode(model).finish();
}

export async function smallPicture(): Promise<Uint8Array> {
  const background = { r: 200, g: 120, b: 40 };
  return sharp({ create: { width: 40, height: 30, channels: 3, background } })
    .png()
    .toBuffer();
}
