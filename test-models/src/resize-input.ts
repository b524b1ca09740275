/** The same network for a smaller picture: tests run it where its own input size would take minutes on a CPU. */
import onnxProto from 'onnx-proto';

/**
 * The model with other extents for its one input. Extents of other values are dropped, runtimes infer them.
 * @throws Error when the model has not exactly one input without an initializer
 */
export function withInputDims(model: Uint8Array, dims: readonly number[]): Uint8Array {
  const proto = onnxProto.onnx.ModelProto.decode(model);
  const { graph } = proto;
  const constants = new Set(graph?.initializer?.map((tensor) => tensor.name));
  const [input, ...others] = (graph?.input ?? []).filter((value) => !constants.has(value.name));
  if (!graph || !input || others.length > 0) throw new Error('the model has not exactly one input');
  input.type = {
    tensorType: {
      elemType: input.type?.tensorType?.elemType ?? 1,
      shape: { dim: dims.map((extent) => ({ dimValue: extent })) },
    },
  };
  graph.valueInfo = [];
  for (const output of graph.output ?? []) {
    output.type = { tensorType: { elemType: output.type?.tensorType?.elemType ?? 1 } };
  }
  return onnxProto.onnx.ModelProto.encode(proto).finish();
}
