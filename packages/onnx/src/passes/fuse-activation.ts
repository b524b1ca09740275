/**
 * A function of one value moves into the epilogue of the node that produces the value: Relu, Clip, HardSwish and
 * the other activations, and scalar Mul and Add behind an activation (PP-OCR's learnable affine block) as an
 * affine step. An affine step first in line goes into constant weights instead, where nothing is fused yet.
 */
import type { Activation } from '@onegpu/kernels/core';
import type { GraphNode } from '../graph.ts';
import { simplifyChain } from './activation-chain.ts';
import { takesActivation } from './epilogue-support.ts';
import { readUnary } from './read-unary.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, hasPlainEpilogue } from './rewriter.ts';
import { foldIntoWeights, readFoldable } from './weight-folding.ts';

const PASS = 'fuse-activation';

export function fuseActivation(rewriter: GraphRewriter): void {
  for (const node of rewriter.nodes()) {
    if (rewriter.has(node)) fuseIntoProducer(rewriter, node);
  }
}

function fuseIntoProducer(rewriter: GraphRewriter, node: GraphNode): void {
  const unary = readUnary(rewriter, node);
  const producer = unary && rewriter.producer(unary.input);
  if (unary === undefined || producer === undefined || rewriter.soleReader(unary.input) !== node) return;
  if (!takesActivation(producer) || readUnary(rewriter, producer) !== undefined) return;
  const host = hasPlainEpilogue(producer) ? foldFirstStep(rewriter, producer, unary.steps) : undefined;
  const steps = host === undefined ? [...producer.epilogue.activation, ...unary.steps] : unary.steps.slice(1);
  rewriter.replace(PASS, [producer, node], {
    ...(host ?? producer),
    outputs: node.outputs,
    epilogue: { residual: producer.epilogue.residual, activation: simplifyChain(steps) },
    covers: coversOf(producer, node),
  });
}

function foldFirstStep(
  rewriter: GraphRewriter,
  producer: GraphNode,
  steps: readonly Activation[],
): GraphNode | undefined {
  const [first] = steps;
  const foldable = first?.kind === 'affine' ? readFoldable(rewriter, producer) : undefined;
  if (first?.kind !== 'affine' || foldable === undefined) return undefined;
  return foldIntoWeights(rewriter, foldable, {
    scale: new Float64Array(foldable.channels).fill(first.scale),
    shift: new Float64Array(foldable.channels).fill(first.shift),
  });
}
