/** Takes nodes apart that fusions for hardware adapters made, where a run's extents are not what they expect. */
import type { GraphNode } from './graph.ts';
import type { ValueInfo } from './op-definition.ts';
import { splitShortcut } from './split-shortcut.ts';
import { splitUpsample } from './split-upsample.ts';

/**
 * The nodes that compute what `node` does: itself, or those it was made of.
 * @param own dims of the node's own sum, before anything is added
 * @param values what is known so far
 */
export function splitFused(
  node: GraphNode,
  own: readonly number[],
  values: ReadonlyMap<string, ValueInfo>,
): readonly GraphNode[] {
  const apart = [splitShortcut, splitUpsample].map((split) => split(node, own, values));
  return apart.find((nodes) => nodes.length > 1) ?? [node];
}
