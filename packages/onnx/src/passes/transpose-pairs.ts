/** Transpose behind Transpose becomes one with the composed order; the identity order is removed elsewhere. */
import { AttributeReader } from '../attributes.ts';
import type { GraphNode } from '../graph.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, isOperator } from './rewriter.ts';

const PASS = 'transpose-pairs';

export function mergeTransposes(rewriter: GraphRewriter): void {
  for (const node of rewriter.nodes()) {
    const [input = ''] = node.inputs;
    const first = rewriter.producer(input);
    if (!rewriter.has(node) || !isOperator(node, 'Transpose') || !isOperator(first, 'Transpose')) continue;
    const inner = readOrder(first);
    const outer = readOrder(node);
    if (inner === undefined || outer === undefined || inner.length !== outer.length) continue;
    if (rewriter.soleReader(input) !== node) continue;
    const order = outer.map((axis) => BigInt(inner[axis] ?? 0));
    rewriter.replace(PASS, [first, node], {
      ...node,
      inputs: first.inputs,
      attributes: new Map([['perm', { kind: 'ints', value: order }]]),
      covers: coversOf(first, node),
    });
  }
}

/** The axes in their new order; undefined for the default (reversed), whose length only the shape tells. */
export function readOrder(node: GraphNode): readonly number[] | undefined {
  return new AttributeReader(node).ints('perm');
}

export function isIdentityOrder(order: readonly number[]): boolean {
  return order.every((axis, position) => axis === position);
}
