/**
 * Types and extents of every value for the concrete extents of one run, in graph order. Nodes whose inputs are all
 * known are evaluated on the host at once: that is the shape arithmetic of exporters (Shape, Gather, Concat, ...),
 * a handful of integers. Anything larger belongs on the GPU.
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { findExtension } from './extension.ts';
import type { Graph, GraphNode } from './graph.ts';
import { contextOf, hasEpilogue, namingNode, nodeLabel } from './node-context.ts';
import type { OperatorDefinition, ValueInfo } from './op-definition.ts';
import { findOperator } from './ops/registry.ts';
import { splitResidual } from './split-residual.ts';
import { elementCount } from './tensor.ts';

/** Most elements a node may have computed on the host outside constant folding. */
export const HOST_ELEMENT_LIMIT = 1024;

export interface HostNode {
  readonly node: GraphNode;
  /** Elements of all its outputs. */
  readonly elements: number;
}

export interface ShapeInference {
  /** The graph's nodes, with fused sums taken apart where the two sides broadcast at these extents. */
  readonly nodes: readonly GraphNode[];
  /** Every value of the graph: inputs, constants and outputs of nodes. */
  readonly values: ReadonlyMap<string, ValueInfo>;
  /** Nodes whose outputs are known without the GPU; they have no dispatch. */
  readonly hostNodes: readonly HostNode[];
}

/**
 * @param feeds one entry an input of the graph, already checked by `resolveInputs`.
 * @throws GpuKernelShapeError naming the node whose shapes are wrong, or that would have to run on the host.
 */
export function inferShapes(graph: Graph, feeds: ReadonlyMap<string, ValueInfo>): ShapeInference {
  const values = new Map<string, ValueInfo>(feeds);
  for (const [name, constant] of graph.constants) {
    values.set(name, { type: constant.type, dims: constant.dims, constant });
  }
  const hostNodes: HostNode[] = [];
  const nodes = [...graph.nodes];
  for (let position = 0; position < nodes.length; position++) {
    const fused = nodes[position] as GraphNode;
    const outputs = inferNode(fused, graph.opset, values);
    const own = outputs[0]?.dims ?? [];
    const apart = findExtension()?.splitFused(fused, own, values) ?? [];
    const parts = apart.length > 1 ? apart : splitResidual(fused, own, values);
    if (parts.length > 1) nodes.splice(position, 1, ...parts);
    const [node = fused] = parts;
    node.outputs.forEach((name, index) => {
      const info = outputs[index];
      if (name !== '' && info !== undefined) values.set(name, info);
    });
    const known = node.outputs.every((name) => name === '' || values.get(name)?.constant !== undefined);
    if (known) hostNodes.push({ node, elements: countElements(outputs) });
  }
  return { nodes, values, hostNodes };
}

function inferNode(
  node: GraphNode,
  opset: number,
  values: ReadonlyMap<string, ValueInfo>,
): readonly ValueInfo[] {
  const definition = findOperator(node.domain, node.opType);
  if (definition === undefined) {
    throw new GpuKernelShapeError('this operator is not implemented', { subject: nodeLabel(node) });
  }
  const context = contextOf(node, opset, values);
  const outputs = namingNode(node, () => definition.infer(context));
  const present = node.outputs.findLastIndex((name) => name !== '') + 1;
  if (outputs.length < present) {
    throw new GpuKernelShapeError('the node has more outputs than the operator', {
      subject: nodeLabel(node),
      got: String(present),
      expected: String(outputs.length),
    });
  }
  const inputsKnown = context.inputs.every((input) => input === undefined || input.constant !== undefined);
  if (!inputsKnown || hasEpilogue(node))
    return requireGpu(node, definition, outputs, 'not all inputs are known');
  const elements = countElements(outputs);
  if (definition.evaluate === undefined || elements > HOST_ELEMENT_LIMIT) {
    return requireGpu(node, definition, outputs, `${elements} elements`);
  }
  const tensors = namingNode(node, () => definition.evaluate?.(context) ?? []);
  return tensors.map((constant) => ({ type: constant.type, dims: constant.dims, constant }));
}

/** Passes outputs through when the GPU can make them or they are known already. */
function requireGpu(
  node: GraphNode,
  definition: OperatorDefinition,
  outputs: readonly ValueInfo[],
  got: string,
): readonly ValueInfo[] {
  const known = outputs.every((output) => output.constant !== undefined);
  if (definition.lower !== undefined || known) return outputs;
  throw new GpuKernelShapeError('this operator runs on the host only', {
    subject: nodeLabel(node),
    got,
    expected: `known inputs and at most ${HOST_ELEMENT_LIMIT} elements`,
  });
}

function countElements(outputs: readonly ValueInfo[]): number {
  return outputs.reduce((sum, output) => sum + elementCount(output.dims), 0);
}
