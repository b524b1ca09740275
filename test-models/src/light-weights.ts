/**
 * Seeded weights for ONNX's "light" models, whose weights are ConstantOfShape nodes of one value each: their expected
 * outputs say little. Every such node becomes an initializer of normal values that keep a signal alive: of variance
 * 2 / fan-in (He et al., https://arxiv.org/abs/1502.01852) for matrices and kernels, near one for factors and
 * variances, near zero for the rest. The final Softmax is left out, since what it saturates it hides.
 */
import onnxProto, { type onnx } from 'onnx-proto';
import { normalValues, randomStream } from './random.ts';

const FLOAT = onnxProto.onnx.TensorProto.DataType.FLOAT;

/**
 * @param bytes a light model
 * @param modelName names the random streams
 * @returns the model with other weights, and the output in front of the final Softmax in place of its own
 */
export function seedLightWeights(bytes: Uint8Array, modelName: string): Uint8Array {
  const model = onnxProto.onnx.ModelProto.decode(bytes);
  const graph = model.graph as onnx.GraphProto;
  const shapes = new Map(graph.initializer.map((entry) => [entry.name, int64Values(entry)]));
  const filled = graph.node.filter((node) => node.opType === 'ConstantOfShape');
  for (const node of filled) {
    const [name = ''] = node.output ?? [];
    const dims = shapes.get(node.input?.[0] ?? '');
    if (dims === undefined) throw new Error(`${modelName}: the shape of "${name}" is no initializer`);
    const fill = fillOf(dims, roleOf(graph, name));
    const count = dims.reduce((product, extent) => product * extent, 1);
    const values = normalValues(count, fill, randomStream(`${modelName}/${name}`));
    const rawData = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    graph.initializer.push(
      onnxProto.onnx.TensorProto.create({ name, dims: [...dims], dataType: FLOAT, rawData }),
    );
  }
  graph.node = graph.node.filter((node) => !filled.includes(node));
  dropFinalSoftmax(graph);
  return onnxProto.onnx.ModelProto.encode(model).finish();
}

type Role = 'factor' | 'weight';

/** What reads a value, through Unsqueeze: a factor of a Mul or a BatchNormalization (scale, variance), or a weight. */
function roleOf(graph: onnx.GraphProto, name: string): Role {
  const reader = graph.node.find((node) => node.input?.includes(name));
  if (reader?.opType === 'Unsqueeze') return roleOf(graph, reader.output?.[0] ?? '');
  if (reader?.opType === 'Mul') return 'factor';
  const position = reader?.input?.indexOf(name);
  return reader?.opType === 'BatchNormalization' && (position === 1 || position === 4) ? 'factor' : 'weight';
}

function fillOf(dims: readonly number[], role: Role): { mean: number; std: number } {
  if (role === 'factor') return { mean: 1, std: 0.05 };
  if (dims.length < 2) return { mean: 0, std: 0.05 };
  const fanIn = dims.slice(1).reduce((product, extent) => product * extent, 1);
  return { mean: 0, std: Math.sqrt(2 / fanIn) };
}

function int64Values({ rawData, int64Data }: onnx.ITensorProto): readonly number[] {
  if (rawData === undefined || rawData === null || rawData.length === 0) return (int64Data ?? []).map(Number);
  const view = new DataView(rawData.buffer, rawData.byteOffset, rawData.byteLength);
  return Array.from({ length: rawData.length / 8 }, (_, index) => Number(view.getBigInt64(8 * index, true)));
}

function dropFinalSoftmax(graph: onnx.GraphProto): void {
  const [output] = graph.output;
  const last = graph.node.find((node) => node.output?.includes(output?.name ?? ''));
  if (last?.opType !== 'Softmax' || output === undefined) return;
  output.name = last.input?.[0] ?? '';
  output.type = onnxProto.onnx.TypeProto.create({ tensorType: { elemType: FLOAT } });
  graph.node = graph.node.filter((node) => node !== last);
}
