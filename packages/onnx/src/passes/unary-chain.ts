/**
 * Two or more functions of one value in a row become one `onegpu` Activation node with the whole chain, and one
 * that turns out to do nothing disappears. A single unary operator stays what it is.
 */
import type { GraphNode } from '../graph.ts';
import { simplifyChain } from './activation-chain.ts';
import { ACTIVATION_DOMAIN, ACTIVATION_OPERATOR, readUnary } from './read-unary.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, makeNode } from './rewriter.ts';

const PASS = 'unary-chain';

export function mergeUnaryChains(rewriter: GraphRewriter): void {
  for (const node of rewriter.nodes()) {
    if (rewriter.has(node)) mergeWithProducer(rewriter, node);
  }
}

function mergeWithProducer(rewriter: GraphRewriter, node: GraphNode): void {
  const unary = readUnary(rewriter, node);
  if (unary === undefined) return;
  const activation = simplifyChain(unary.steps);
  if (activation.length === 0 && rewriter.bypass(PASS, node, unary.input, node.outputs[0] ?? '')) return;
  const producer = rewriter.producer(unary.input);
  const before = producer && readUnary(rewriter, producer);
  if (producer === undefined || before === undefined || rewriter.soleReader(unary.input) !== node) return;
  const merged = makeNode({
    name: node.name,
    domain: ACTIVATION_DOMAIN,
    opType: ACTIVATION_OPERATOR,
    inputs: [before.input],
    outputs: node.outputs,
    epilogue: { residual: '', activation: simplifyChain([...before.steps, ...unary.steps]) },
    covers: coversOf(producer, node),
  });
  rewriter.replace(PASS, [producer, node], merged);
}
