/** A model of one convolution, for measuring a layer through everything a session does to it. */
import onnxProto from 'onnx-proto';

/** ONNX's attributes and the dims of its operands, two spatial axes. */
export interface ConvLayer {
  /** [batch, ic, ih, iw] */
  readonly src: readonly number[];
  /** [oc, ic / groups, kh, kw] */
  readonly weights: readonly number[];
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  /** top, left, bottom, right */
  readonly pads: readonly number[];
  readonly groups: number;
}

const OPSET = 17;
const FLOAT = onnxProto.onnx.TensorProto.DataType.FLOAT;

/** Encoded model: input `src`, output `dst`, weights and bias as initializers. */
export function convLayerModel(layer: ConvLayer, weights: Float32Array, bias: Float32Array): Uint8Array {
  const { AttributeProto, ModelProto } = onnxProto.onnx;
  const ints = (name: string, values: readonly number[]) => ({
    name,
    type: AttributeProto.AttributeType.INTS,
    ints: [...values],
  });
  const tensor = (name: string, dims: readonly number[], values: Float32Array) => ({
    name,
    dims: [...dims],
    dataType: FLOAT,
    rawData: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
  });
  return ModelProto.encode({
    irVersion: 8,
    opsetImport: [{ domain: '', version: OPSET }],
    graph: {
      name: 'conv layer',
      node: [
        {
          name: 'conv',
          opType: 'Conv',
          input: ['src', 'weights', 'bias'],
          output: ['dst'],
          attribute: [
            ints('kernel_shape', layer.weights.slice(2)),
            ints('strides', layer.strides),
            ints('dilations', layer.dilations),
            ints('pads', layer.pads),
            { name: 'group', type: AttributeProto.AttributeType.INT, i: layer.groups },
          ],
        },
      ],
      initializer: [tensor('weights', layer.weights, weights), tensor('bias', [bias.length], bias)],
      input: [valueInfo('src', layer.src)],
      output: [valueInfo('dst', undefined)],
    },
  }).finish();
}

function valueInfo(name: string, dims: readonly number[] | undefined) {
  const shape = dims === undefined ? {} : { shape: { dim: dims.map((dimValue) => ({ dimValue })) } };
  return { name, type: { tensorType: { elemType: FLOAT, ...shape } } };
}
