/**
 * x * f(x) -> one activation: SiLU (f = sigmoid) and hard-swish in the forms exporters write, as Add(3), Clip(0, 6),
 * Mul(x), Div(6) in every order of the last two, and as x * HardSigmoid(x). The result is an `onegpu` Activation
 * node, which another pass moves into the producer of x.
 */
import type { Activation } from '@onegpu/kernels';
import type { GraphNode } from '../graph.ts';
import { selfGated } from './activation-chain.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, isOperator, makeNode } from './rewriter.ts';
import { ACTIVATION_DOMAIN, ACTIVATION_OPERATOR, readUnary } from './unary-steps.ts';

const PASS = 'self-gating';

export function fuseSelfGating(rewriter: GraphRewriter): void {
  for (const node of rewriter.nodes()) {
    if (!rewriter.has(node) || !isOperator(node, 'Mul') || node.inputs.length !== 2) continue;
    if (node.epilogue.residual !== '') continue;
    const [left = '', right = ''] = node.inputs;
    const gate = readGate(rewriter, node, right, left) ?? readGate(rewriter, node, left, right);
    if (gate === undefined) continue;
    const product = makeNode({
      name: node.name,
      domain: ACTIVATION_DOMAIN,
      opType: ACTIVATION_OPERATOR,
      inputs: [gate.root],
      outputs: node.outputs,
      epilogue: { residual: '', activation: [...gate.activation, ...node.epilogue.activation] },
      covers: coversOf(...gate.nodes, node),
    });
    rewriter.replace(PASS, [...gate.nodes, node], product);
  }
}

interface Gate {
  readonly root: string;
  readonly activation: readonly Activation[];
  readonly nodes: readonly GraphNode[];
}

/** Walks from one factor of the product back to `root`, the other factor, through nodes nobody else reads. */
function readGate(rewriter: GraphRewriter, mul: GraphNode, factor: string, root: string): Gate | undefined {
  const nodes: GraphNode[] = [];
  let steps: readonly Activation[] = [];
  let value = factor;
  let reader = mul;
  while (value !== root) {
    const node = rewriter.producer(value);
    const unary = node && readUnary(rewriter, node);
    if (node === undefined || unary === undefined || rewriter.soleReader(value) !== reader) return undefined;
    nodes.unshift(node);
    steps = [...unary.steps, ...steps];
    value = unary.input;
    reader = node;
  }
  const activation = selfGated(steps);
  return activation === undefined ? undefined : { root, activation, nodes };
}
