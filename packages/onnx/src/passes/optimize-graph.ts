/**
 * Runs the fusion passes over a graph, in order and again until a round changes nothing. Every pass keeps graph
 * outputs and values with several readers, and leaves nodes in topological order.
 *
 * Order matters in one respect: constants are folded into weights before activations move behind the node, since
 * an affine step is free in the weights and not in the epilogue.
 */
import type { Graph } from '../graph.ts';
import { depthwiseInsteadOfBatchNorm } from './batch-norm-to-conv.ts';
import { removeDeadCode } from './dead-code.ts';
import { foldExciteSum } from './excite-sum.ts';
import { foldChannelAffine } from './fold-channel-affine.ts';
import { fuseActivation } from './fuse-activation.ts';
import { fuseResidual } from './fuse-residual.ts';
import { gemmInsteadOfMatMul } from './matmul-bias.ts';
import { poolInsteadOfMean } from './mean-to-global-pool.ts';
import { mergePointwise } from './merge-pointwise.ts';
import { foldPad } from './pad-into-window.ts';
import { removeIdentity } from './remove-identity.ts';
import { mergeReshapes } from './reshape-pairs.ts';
import { type Fusion, GraphRewriter } from './rewriter.ts';
import { fuseSelfGating } from './self-gating.ts';
import { mergeTransposes } from './transpose-pairs.ts';
import { mergeUnaryChains } from './unary-chain.ts';
import type { ShapeProbe } from './value-facts.ts';

export type GraphPass = (rewriter: GraphRewriter) => void;

/** Every pass, in the order of one round. */
export const PASSES: readonly GraphPass[] = [
  removeDeadCode,
  removeIdentity,
  mergeTransposes,
  mergeReshapes,
  poolInsteadOfMean,
  foldPad,
  gemmInsteadOfMatMul,
  foldChannelAffine,
  fuseSelfGating,
  foldExciteSum,
  fuseActivation,
  fuseResidual,
  mergePointwise,
  mergeUnaryChains,
  depthwiseInsteadOfBatchNorm,
];

export interface OptimizeOptions {
  /**
   * Shape inferences of this graph, for what only extents can tell (residual sums). At least two that differ in
   * every extent a run may choose, or one where the graph fixes them all; without any, such fusions stay undone.
   */
  readonly probes?: readonly ShapeProbe[];
  /** Passes to run instead of all, for tests and for measuring one of them. */
  readonly passes?: readonly GraphPass[];
}

export interface PassReport {
  readonly nodesBefore: number;
  readonly nodesAfter: number;
  /** Rewrites in the order they were made. */
  readonly fusions: readonly Fusion[];
}

/** Rewrites `graph.nodes` and `graph.constants` in place. */
export function optimizeGraph(graph: Graph, options: OptimizeOptions = {}): PassReport {
  const nodesBefore = graph.nodes.length;
  const rewriter = new GraphRewriter(graph, options.probes ?? []);
  let made = -1;
  while (rewriter.fusions.length !== made) {
    made = rewriter.fusions.length;
    for (const pass of options.passes ?? PASSES) pass(rewriter);
  }
  rewriter.commit();
  return { nodesBefore, nodesAfter: graph.nodes.length, fusions: rewriter.fusions };
}
