/** The convolution layers of a model, each geometry once, read from its graph for given input dims. */
import { loadModel } from '@onegpu/onnx/tools';
import type { ConvLayer } from '@onegpu/test-models';
import { AttributeReader } from '../packages/onnx/src/attributes.ts';
import { inferShapes } from '../packages/onnx/src/infer-shapes.ts';

/** Layers in graph order with the number of times each occurs; pads are explicit in every model of test-models. */
export async function convLayersOf(
  path: string,
  dims: readonly number[],
): Promise<readonly { layer: ConvLayer; count: number }[]> {
  const { graph } = await loadModel(path);
  const feeds = graph.inputs.map(({ name, type }) => [name, { type, dims }] as const);
  const { values } = inferShapes(graph, new Map(feeds));
  const found = new Map<string, { layer: ConvLayer; count: number }>();
  for (const node of graph.nodes.filter(({ opType }) => opType === 'Conv')) {
    const attributes = new AttributeReader(node);
    const [src, weights] = node.inputs.map((name) => values.get(name)?.dims ?? []);
    const layer: ConvLayer = {
      src: src ?? [],
      weights: weights ?? [],
      strides: attributes.ints('strides') ?? [1, 1],
      dilations: attributes.ints('dilations') ?? [1, 1],
      pads: attributes.ints('pads') ?? [0, 0, 0, 0],
      groups: attributes.int('group', 1),
    };
    const key = JSON.stringify(layer);
    found.set(key, { layer, count: (found.get(key)?.count ?? 0) + 1 });
  }
  return [...found.values()];
}
