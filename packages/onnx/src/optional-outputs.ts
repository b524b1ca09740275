/**
 * Exporters name optional outputs that nobody reads: the mask of a Dropout, the statistics of a BatchNormalization.
 * Without their names the node asks for what is used, and can run where the full set is not built.
 */
import type { GraphNode, GraphValue } from './graph.ts';

/** Operators whose outputs behind the first are all optional. */
const OPTIONAL_OUTPUTS = new Set(['Dropout', 'BatchNormalization', 'MaxPool', 'LayerNormalization']);

/** The nodes without the trailing outputs that no node and no output of the graph reads. */
export function dropUnreadOutputs(nodes: readonly GraphNode[], outputs: readonly GraphValue[]): GraphNode[] {
  const read = new Set([...nodes.flatMap((node) => node.inputs), ...outputs.map((output) => output.name)]);
  return nodes.map((node) => {
    if (node.domain !== '' || !OPTIONAL_OUTPUTS.has(node.opType)) return node;
    const last = node.outputs.findLastIndex((output, index) => index === 0 || read.has(output));
    return { ...node, outputs: node.outputs.slice(0, last + 1) };
  });
}
