/**
 * x * f(x) -> one activation: SiLU (f = sigmoid), hard-swish in the forms exporters write, as Add(3), Clip(0, 6),
 * Mul(x), Div(6) in every order of the last two and as x * HardSigmoid(x), mish and GELU as x * (1 + erf(x / sqrt(2))),
 * where x may carry a constant factor. The result is an `onegpu` Activation node, which another pass moves into the
 * producer of x.
 */
import type { Activation } from '@onegpu/kernels/core';
import type { GraphNode } from '../graph.ts';
import { selfGated, simplifyChain } from './activation-chain.ts';
import { ACTIVATION_DOMAIN, ACTIVATION_OPERATOR, readUnary } from './read-unary.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, isOperator, makeNode } from './rewriter.ts';

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
      epilogue: { residual: '', activation: simplifyChain([...gate.steps, ...node.epilogue.activation]) },
      covers: coversOf(...gate.nodes, node),
    });
    rewriter.replace(PASS, [...gate.nodes, node], product);
  }
}

/** Functions of one value in a row, read by nobody else on the way. */
interface Trace {
  readonly root: string;
  readonly steps: readonly Activation[];
  readonly nodes: readonly GraphNode[];
}

/** The product as a function of the value that both factors come from; `scaled` may be it times a constant. */
function readGate(
  rewriter: GraphRewriter,
  mul: GraphNode,
  factor: string,
  scaled: string,
): Trace | undefined {
  for (const other of tracesTo(rewriter, mul, scaled)) {
    const [factorStep, ...more] = other.steps;
    const isScale = factorStep?.kind === 'affine' && factorStep.shift === 0;
    if (more.length > 0 || (factorStep !== undefined && !isScale)) continue;
    const gate = tracesTo(rewriter, mul, factor).find((trace) => trace.root === other.root);
    const activation = gate && selfGated(gate.steps);
    if (gate === undefined || activation === undefined) continue;
    return {
      root: gate.root,
      steps: [...activation, ...other.steps],
      nodes: [...other.nodes, ...gate.nodes],
    };
  }
  return undefined;
}

/** Every way to see `value` as a function of an earlier one, the shortest (of itself) first. */
function tracesTo(rewriter: GraphRewriter, reader: GraphNode, value: string): Trace[] {
  const traces: Trace[] = [{ root: value, steps: [], nodes: [] }];
  for (let last = reader; ; ) {
    const before = traces.at(-1);
    const node = before && rewriter.producer(before.root);
    const unary = node && readUnary(rewriter, node);
    if (before === undefined || node === undefined || unary === undefined) return traces;
    if (rewriter.soleReader(before.root) !== last) return traces;
    traces.push({
      root: unary.input,
      steps: [...unary.steps, ...before.steps],
      nodes: [node, ...before.nodes],
    });
    last = node;
  }
}
