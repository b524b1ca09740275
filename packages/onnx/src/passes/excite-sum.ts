/**
 * x + x * s, squeeze-excite with a shortcut as PP-OCR's neck has it, is x * (1 + s): the addition moves to the
 * small tensor s, into the epilogue of the node that makes it, and the Add over the whole picture goes.
 */
import type { GraphNode } from '../graph.ts';
import { simplifyChain } from './activation-chain.ts';
import { takesActivation } from './epilogue-support.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, hasPlainEpilogue, isOperator } from './rewriter.ts';

const PASS = 'excite-sum';

export function foldExciteSum(rewriter: GraphRewriter): void {
  for (const add of rewriter.nodes()) {
    if (!rewriter.has(add) || !isOperator(add, 'Add') || add.epilogue.residual !== '') continue;
    const [left = '', right = ''] = add.inputs;
    if (!rewrite(rewriter, add, left, right)) rewrite(rewriter, add, right, left);
  }
}

/** Rewrites x + product; false when `product` is no Mul of x, or the other factor cannot take the addition. */
function rewrite(rewriter: GraphRewriter, add: GraphNode, x: string, product: string): boolean {
  const mul = rewriter.producer(product);
  if (!isOperator(mul, 'Mul') || !hasPlainEpilogue(mul) || rewriter.soleReader(product) !== add) return false;
  const at = mul.inputs.indexOf(x);
  const factor = mul.inputs[1 - at] ?? '';
  const excite = rewriter.producer(factor);
  if (at < 0 || factor === x || excite === undefined || rewriter.soleReader(factor) !== mul) return false;
  if (!takesActivation(excite) || rewriter.facts.type(factor) !== 'float32') return false;
  const shifted = rewriter.freshName(`${factor}.plus-one`);
  const plusOne = { kind: 'affine', scale: 1, shift: 1 } as const;
  rewriter.replace(PASS, [excite], {
    ...excite,
    outputs: [shifted],
    epilogue: {
      residual: excite.epilogue.residual,
      activation: simplifyChain([...excite.epilogue.activation, plusOne]),
    },
  });
  rewriter.replace(PASS, [mul, add], {
    ...mul,
    inputs: mul.inputs.map((input) => (input === factor ? shifted : input)),
    outputs: add.outputs,
    epilogue: add.epilogue,
    covers: coversOf(mul, add),
  });
  return true;
}
