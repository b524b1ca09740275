/**
 * Evaluates, once at load, every node whose inputs are all constants (weights behind Identity or Transpose, tables
 * built by exporters); its outputs become constants of any size. What nobody reads afterwards is removed.
 */
import type { Graph, GraphNode } from './graph.ts';
import { contextOf, hasEpilogue, namingNode } from './node-context.ts';
import type { ValueInfo } from './op-definition.ts';
import { findOperator } from './ops/registry.ts';
import type { Tensor } from './tensor.ts';

/**
 * Rewrites `graph` in place and returns the nodes it evaluated.
 * @throws GpuKernelShapeError when a constant node's shapes are wrong.
 */
export function foldConstants(graph: Graph): readonly GraphNode[] {
  const folded: GraphNode[] = [];
  graph.nodes = graph.nodes.filter((node) => {
    const outputs = evaluateConstant(node, graph);
    if (outputs === undefined) return true;
    node.outputs.forEach((name, index) => {
      const value = outputs[index];
      if (name !== '' && value !== undefined) graph.constants.set(name, value);
    });
    folded.push(node);
    return false;
  });
  removeUnread(graph);
  return folded;
}

function evaluateConstant(node: GraphNode, graph: Graph): readonly Tensor[] | undefined {
  const definition = findOperator(node.domain, node.opType);
  const known = node.inputs.every((name) => name === '' || graph.constants.has(name));
  if (!known || definition?.evaluate === undefined || hasEpilogue(node)) return undefined;
  const values = new Map<string, ValueInfo>();
  for (const name of node.inputs) {
    const constant = graph.constants.get(name);
    if (constant !== undefined) values.set(name, { type: constant.type, dims: constant.dims, constant });
  }
  const context = contextOf(node, graph.opset, values);
  return namingNode(node, () => {
    definition.infer(context);
    return definition.evaluate?.(context);
  });
}

/** Drops nodes and constants that no output of the graph depends on. */
function removeUnread(graph: Graph): void {
  const needed = new Set(graph.outputs.map((output) => output.name));
  const kept: GraphNode[] = [];
  for (const node of graph.nodes.toReversed()) {
    if (!node.outputs.some((output) => output !== '' && needed.has(output))) continue;
    kept.push(node);
    for (const input of node.inputs) needed.add(input);
    needed.add(node.epilogue.residual);
  }
  graph.nodes = kept.reverse();
  for (const name of [...graph.constants.keys()]) if (!needed.has(name)) graph.constants.delete(name);
}
