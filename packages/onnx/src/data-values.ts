/**
 * Which values depend on the data of a run and not only on extents: those that a fed image reaches. An operator that
 * runs on the host only cannot read them; knowing it at load spares the user an error in the first run.
 */
import type { Graph, GraphNode, GraphValue } from './graph.ts';
import { SHAPE_OPERATORS } from './ops/shape.ts';

const EXTENT_OPERATORS: ReadonlySet<string> = new Set(SHAPE_OPERATORS.map((definition) => definition.opType));

/** Names of the values computed from image data, or from `inputs`; operators that read extents only stop the spread. */
export function dataValues(
  graph: Graph,
  inputs: readonly GraphValue[] = graph.inputs.filter(holdsData),
): ReadonlySet<string> {
  const data = new Set(inputs.map((input) => input.name));
  for (const node of graph.nodes) {
    const spreads = node.inputs.some((name) => data.has(name));
    if (!spreads || readsExtentsOnly(node)) continue;
    for (const output of node.outputs) if (output !== '') data.add(output);
  }
  return data;
}

/** Whether the node needs its input's extents and never its elements. */
export function readsExtentsOnly(node: GraphNode): boolean {
  return node.domain === '' && EXTENT_OPERATORS.has(node.opType);
}

/** Short integer inputs may be shapes that a run feeds; the planner gets to know those. */
function holdsData({ type, dims }: GraphValue): boolean {
  return !/^u?int(32|64)$/.test(type) || (dims !== undefined && dims.length > 1);
}
