/** The reference for whole models: onnxruntime-node on the CPU, same bytes and feeds. */
import * as ort from 'onnxruntime-node';

/** What goes in and comes out: onnxruntime's tensors and this project's have these three in common. */
export interface PeerTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: ArrayLike<unknown>;
}

export interface OrtCpuOptions {
  /** `disabled` runs the graph as it is written, without onnxruntime's own fusions; default `all`. */
  readonly optimization?: 'disabled' | 'all';
}

/**
 * Runs a model once.
 * @param model path or bytes of an ONNX file
 * @returns the outputs by name
 * @throws Error with onnxruntime's own words when the model does not load or run
 */
export async function ortCpu(
  model: string | Uint8Array,
  feeds: Readonly<Record<string, PeerTensor>>,
  options: OrtCpuOptions = {},
): Promise<Record<string, PeerTensor>> {
  const settings: ort.InferenceSession.SessionOptions = {
    executionProviders: ['cpu'],
    graphOptimizationLevel: options.optimization ?? 'all',
    logSeverityLevel: 3,
  };
  const session = await (typeof model === 'string'
    ? ort.InferenceSession.create(model, settings)
    : ort.InferenceSession.create(model, settings));
  try {
    const inputs = Object.entries(feeds).map(([name, tensor]) => [name, toOrtTensor(tensor)] as const);
    const outputs = await session.run(Object.fromEntries(inputs));
    return Object.fromEntries(
      Object.entries(outputs).map(([name, { type, dims, data }]) => [name, { type, dims: [...dims], data }]),
    );
  } finally {
    await session.release();
  }
}

function toOrtTensor(tensor: PeerTensor): ort.Tensor {
  return new ort.Tensor(tensor.type as 'float32', tensor.data as Float32Array, [...tensor.dims]);
}
