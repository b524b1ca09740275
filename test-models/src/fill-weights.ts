/**
 * Gives weights to a graph that was stored without them. An initializer whose doc_string reads
 * `fill mean=M std=S` has dims and type only; it gets normal values of that mean and standard deviation, from a
 * stream named after model and initializer, so that neither the order of the initializers nor the other ones
 * change it. Every other initializer (shape constants, biases, the running variance of a BatchNormalization)
 * keeps the bytes it has. The values are written as raw_data, little-endian float32.
 */
import onnxProto, { type onnx } from 'onnx-proto';
import { normalValues, randomStream } from './random.ts';

/** Goes into the cache key; raise it when the same graph would get other values. */
export const FILL_VERSION = 1;

const FILL_PATTERN = /^fill mean=(\S+) std=(\S+)$/;

export interface WeightFill {
  readonly mean: number;
  readonly std: number;
}

/** The fill that a doc_string asks for; undefined when it asks for none. */
export function parseFill(docString: string): WeightFill | undefined {
  const match = FILL_PATTERN.exec(docString);
  if (match === null) return undefined;
  const fill = { mean: Number(match[1]), std: Number(match[2]) };
  if (!Number.isFinite(fill.mean) || !(fill.std >= 0)) {
    throw new Error(`a fill needs a finite mean and a std of at least 0, got "${docString}"`);
  }
  return fill;
}

/**
 * The model with every weight in place.
 * @param graph an encoded ModelProto whose initializers lack their bytes
 * @param modelName names the random streams: one graph under two names gets two sets of weights
 * @throws Error when a fill is asked for an element type other than float32, or an initializer has no data at all
 */
export function fillWeights(graph: Uint8Array, modelName: string): Uint8Array {
  const model = onnxProto.onnx.ModelProto.decode(graph);
  for (const initializer of model.graph?.initializer ?? []) fillInitializer(initializer, modelName);
  return onnxProto.onnx.ModelProto.encode(model).finish();
}

function fillInitializer(initializer: onnx.ITensorProto, modelName: string): void {
  const fill = parseFill(initializer.docString ?? '');
  if (fill === undefined) return;
  if (initializer.dataType !== onnxProto.onnx.TensorProto.DataType.FLOAT) {
    throw new Error(`initializer "${initializer.name}" of ${modelName}: only float32 can be filled`);
  }
  const length = (initializer.dims ?? []).reduce((product, extent) => product * Number(extent), 1);
  const values = normalValues(length, fill, randomStream(`${modelName}/${initializer.name}`));
  initializer.rawData = littleEndianBytes(values);
}

function littleEndianBytes(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
  if (isLittleEndian) return bytes;
  const view = new DataView(bytes.buffer);
  for (const [i, value] of values.entries()) view.setFloat32(i * 4, value, true);
  return bytes;
}
