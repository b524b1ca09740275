/**
 * ReduceMean over all axes behind batch and channels is GlobalAveragePool, which has the better kernel; without
 * kept dims a Flatten to [batch, channels] follows.
 */
import { AttributeReader } from '../attributes.ts';
import type { GraphNode } from '../graph.ts';
import type { GraphRewriter } from './rewriter.ts';
import { hasPlainEpilogue, isOperator, makeNode } from './rewriter.ts';

const PASS = 'mean-to-global-pool';

export function poolInsteadOfMean(rewriter: GraphRewriter): void {
  for (const node of rewriter.nodes()) {
    if (!isOperator(node, 'ReduceMean') || !hasPlainEpilogue(node)) continue;
    if (!reducesAllSpatialAxes(rewriter, node)) continue;
    const [input = ''] = node.inputs;
    const { name, outputs, covers } = node;
    if (new AttributeReader(node).int('keepdims', 1) === 1) {
      const pool = makeNode({ name, opType: 'GlobalAveragePool', inputs: [input], outputs, covers });
      rewriter.replace(PASS, [node], pool);
      continue;
    }
    const pooled = rewriter.freshName(`${outputs[0] ?? name}.pooled`);
    rewriter.replace(
      PASS,
      [node],
      makeNode({ name, opType: 'GlobalAveragePool', inputs: [input], outputs: [pooled], covers }),
      makeNode({ name: `${name}.flatten`, opType: 'Flatten', inputs: [pooled], outputs, covers }),
    );
  }
}

function reducesAllSpatialAxes(rewriter: GraphRewriter, node: GraphNode): boolean {
  const [input = '', axesName = ''] = node.inputs;
  const rank = rewriter.facts.rank(input);
  if (rank !== 4 || rewriter.facts.type(input) !== 'float32') return false;
  const axes = axesName === '' ? new AttributeReader(node).ints('axes') : rewriter.integers(axesName);
  const reduced = new Set(axes?.map((axis) => (axis < 0 ? axis + rank : axis)));
  return reduced.size === rank - 2 && reduced.has(2) && reduced.has(3);
}
