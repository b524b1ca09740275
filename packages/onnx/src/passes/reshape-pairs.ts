/**
 * Reshape behind another operator that only changes dims: the last one alone decides. Not where the target holds
 * a zero that copies an extent, because it would copy it from another tensor.
 */
import { AttributeReader } from '../attributes.ts';
import type { GraphNode } from '../graph.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, isOperator } from './rewriter.ts';

const PASS = 'reshape-pairs';

export function mergeReshapes(rewriter: GraphRewriter): void {
  for (const node of rewriter.nodes()) {
    const [input = '', target = ''] = node.inputs;
    const first = rewriter.producer(input);
    if (!rewriter.has(node) || !isOperator(node, 'Reshape') || !copiesNothing(rewriter, node, target))
      continue;
    if (!isOperator(first, 'Reshape', 'Flatten', 'Squeeze', 'Unsqueeze')) continue;
    if (rewriter.soleReader(input) !== node) continue;
    rewriter.replace(PASS, [first, node], {
      ...node,
      inputs: [first.inputs[0] ?? '', target],
      covers: coversOf(first, node),
    });
  }
}

function copiesNothing(rewriter: GraphRewriter, node: GraphNode, target: string): boolean {
  const dims = rewriter.integers(target);
  if (dims === undefined) return false;
  return new AttributeReader(node).int('allowzero', 0) === 1 || !dims.includes(0);
}
