/**
 * Constants that are on the GPU and that no plan will ask for again: their elements on the host, which are views of the
 * bytes that were read, are given up, and with the last view those bytes. Tensors are changed in place, since
 * graphs, inferred values and planned steps share them.
 */
import type { Graph, GraphNode } from './graph.ts';
import type { ShapeInference } from './infer-shapes.ts';
import { allocateData, elementCount, type Tensor, type TensorData } from './tensor.ts';

/** What a session holds of a model. */
interface HeldModel {
  readonly graph: Graph;
  readonly folded: readonly GraphNode[];
}

/** After the only plan of a model is prepared; what outputs are made of stays. */
export function letGoOfConstants({ graph, folded }: HeldModel, inferred: ShapeInference): void {
  const nodes = [...graph.nodes, ...inferred.nodes, ...folded];
  const kept = new Set(nodes.flatMap(tensorAttributes));
  for (const { name } of graph.outputs) {
    const constant = inferred.values.get(name)?.constant;
    if (constant !== undefined) kept.add(constant);
  }
  for (const tensor of kept) replaceData(tensor, copyOfView(tensor.data));
  const values = [...inferred.values.values()].map(({ constant }) => constant);
  for (const tensor of [...graph.constants.values(), ...values]) {
    if (tensor !== undefined && !kept.has(tensor)) replaceData(tensor, allocateData(tensor.type, 0));
  }
  graph.constants.clear();
}

/** The elements of a constant. @throws Error once they are given up */
export function heldData({ data, dims }: Tensor, value: string): TensorData {
  if (data.length === elementCount(dims)) return data;
  throw new Error(`constant ${value} is no longer on the host`);
}

function tensorAttributes({ attributes }: GraphNode): readonly Tensor[] {
  return [...attributes.values()].flatMap((attribute) =>
    attribute.kind === 'tensor' ? [attribute.value] : [],
  );
}

/** A view of a larger buffer keeps all of that. */
function copyOfView(data: TensorData): TensorData {
  return Array.isArray(data) || data.byteLength === data.buffer.byteLength ? data : data.slice();
}

function replaceData(tensor: Tensor, data: TensorData): void {
  (tensor as { data: TensorData }).data = data;
}
