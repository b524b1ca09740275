/**
 * One node of a model as a model of its own: what the GPU computes is fed, what is known while planning (weights,
 * shapes) is a constant, exactly as inside the whole model. The same bytes run here and are written as a test case.
 */
import type { Graph, GraphNode, GraphValue } from '../graph.ts';
import type { ValueInfo } from '../op-definition.ts';
import { encodeModel } from '../proto/encode-model.ts';
import type { Tensor } from '../tensor.ts';

export interface OneNodeModel {
  readonly model: Uint8Array;
  readonly feeds: Readonly<Record<string, Tensor>>;
}

export interface OneNodeRequest {
  readonly node: GraphNode;
  readonly opset: number;
  /** Inferred infos of the whole graph; values known while planning carry their tensor. */
  readonly infos: ReadonlyMap<string, ValueInfo>;
  /** The tensor of every input of the node. */
  readonly values: ReadonlyMap<string, Tensor>;
}

export function oneNodeModel({ node, opset, infos, values }: OneNodeRequest): OneNodeModel {
  const inputs = [...new Set(node.inputs)].flatMap((name) => {
    const tensor = name === '' ? undefined : values.get(name);
    return tensor === undefined ? [] : [{ name, tensor, known: infos.get(name)?.constant !== undefined }];
  });
  // A node of constants alone would be evaluated while loading: its data, the first input, are fed.
  const onlyKnown = inputs.every((input) => input.known);
  const isFed = (input: (typeof inputs)[number]): boolean =>
    !input.known || (onlyKnown && input === inputs[0]);
  const fed = inputs.filter(isFed);
  const describe = (name: string): GraphValue => ({
    name,
    type: infos.get(name)?.type ?? 'float32',
    dims: infos.get(name)?.dims ?? [],
  });
  const graph: Graph = {
    name: node.name,
    opset,
    inputs: fed.map(({ name }) => describe(name)),
    outputs: node.outputs.filter((name) => name !== '').map(describe),
    nodes: [node],
    constants: new Map(inputs.filter((input) => !isFed(input)).map(({ name, tensor }) => [name, tensor])),
  };
  return {
    model: encodeModel(graph),
    feeds: Object.fromEntries(fed.map(({ name, tensor }) => [name, tensor])),
  };
}
