/**
 * Conv, ConvTranspose and Gemm absorb what scales and shifts their output channels by constants: every
 * BatchNormalization and Add, Sub, Mul, Div behind them, as far as the chain goes, is composed in float64 and
 * folded into weights and bias with one rounding.
 */
import type { GraphNode } from '../graph.ts';
import type { ChannelAffine } from './channel-affine.ts';
import { composeAffine, readChannelAffine } from './channel-affine.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, hasPlainEpilogue } from './rewriter.ts';
import { foldIntoWeights, readFoldable } from './weight-folding.ts';

const PASS = 'fold-channel-affine';

export function foldChannelAffine(rewriter: GraphRewriter): void {
  for (const node of rewriter.nodes()) {
    if (rewriter.has(node) && hasPlainEpilogue(node)) foldBehind(rewriter, node);
  }
}

function foldBehind(rewriter: GraphRewriter, node: GraphNode): void {
  const foldable = readFoldable(rewriter, node);
  if (foldable === undefined) return;
  const absorbed: GraphNode[] = [];
  let total: ChannelAffine | undefined;
  let value = node.outputs[0] ?? '';
  for (;;) {
    const reader = rewriter.soleReader(value);
    const affine = reader && readChannelAffine(rewriter, reader, value, foldable);
    if (reader === undefined || affine === undefined) break;
    total = total === undefined ? affine : composeAffine(total, affine);
    absorbed.push(reader);
    value = reader.outputs[0] ?? '';
    if (!hasPlainEpilogue(reader)) break;
  }
  const last = absorbed.at(-1);
  if (total === undefined || last === undefined) return;
  const folded = foldIntoWeights(rewriter, foldable, total);
  if (folded === undefined) return;
  rewriter.replace(PASS, [node, ...absorbed], {
    ...folded,
    outputs: [value],
    epilogue: last.epilogue,
    covers: coversOf(node, ...absorbed),
  });
}
