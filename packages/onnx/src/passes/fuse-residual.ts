/**
 * Conv, ConvTranspose, Gemm, MatMul or Resize + Add(other) -> the residual operand of the epilogue, with the
 * activation that is fused behind the Add. Only where both sides have the same dims at every probe; an Add that broadcasts stays.
 * With two candidates the later one takes the sum, so that the other result is the one kept in memory.
 */
import type { GraphNode } from '../graph.ts';
import { takesResidual } from './epilogue-support.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, isOperator } from './rewriter.ts';

const PASS = 'fuse-residual';

export function fuseResidual(rewriter: GraphRewriter): void {
  for (const node of rewriter.nodes()) {
    if (rewriter.has(node) && isOperator(node, 'Add') && node.epilogue.residual === '') fuse(rewriter, node);
  }
}

function fuse(rewriter: GraphRewriter, add: GraphNode): void {
  const [left = '', right = ''] = add.inputs;
  if (left === right || rewriter.facts.type(left) !== 'float32') return;
  if (!rewriter.facts.sameDims(left, right)) return;
  const hosts = [hostOf(rewriter, add, left), hostOf(rewriter, add, right)]
    .filter((host) => host !== undefined)
    .sort((a, b) => rewriter.position(b) - rewriter.position(a));
  const [host] = hosts;
  if (host === undefined) return;
  const residual = host.outputs[0] === left ? right : left;
  rewriter.replace(PASS, [host, add], {
    ...host,
    outputs: add.outputs,
    epilogue: { residual, activation: add.epilogue.activation },
    covers: coversOf(host, add),
  });
}

function hostOf(rewriter: GraphRewriter, add: GraphNode, value: string): GraphNode | undefined {
  const producer = rewriter.producer(value);
  if (producer === undefined || rewriter.soleReader(value) !== add || !takesResidual(producer))
    return undefined;
  return producer;
}
