/**
 * A BatchNormalization that no convolution could absorb (behind a Concat or an Add, as in DenseNet) is a depthwise
 * convolution with 1x1 taps: weights scale[c], bias shift[c]. So it gets that kernel and its epilogue. The input
 * has to be known to have rank 4.
 */
import type { AttributeValue, GraphNode } from '../graph.ts';
import { readBatchNormalization } from './channel-affine.ts';
import type { GraphRewriter } from './rewriter.ts';
import { isOperator } from './rewriter.ts';
import { isFiniteArray } from './weight-folding.ts';

const PASS = 'batch-norm-to-conv';

export function depthwiseInsteadOfBatchNorm(rewriter: GraphRewriter): void {
  for (const node of rewriter.nodes()) {
    if (isOperator(node, 'BatchNormalization')) rewrite(rewriter, node);
  }
}

function rewrite(rewriter: GraphRewriter, node: GraphNode): void {
  const [src = '', gamma = ''] = node.inputs;
  const channels = rewriter.floats(gamma)?.data.length;
  if (channels === undefined || rewriter.facts.rank(src) !== 4) return;
  const affine = readBatchNormalization(rewriter, node, channels);
  if (affine === undefined) return;
  const weights = Float32Array.from(affine.scale);
  const bias = Float32Array.from(affine.shift);
  if (!isFiniteArray(weights) || !isFiniteArray(bias)) return;
  const attributes = new Map<string, AttributeValue>([
    ['group', { kind: 'int', value: BigInt(channels) }],
    ['kernel_shape', { kind: 'ints', value: [1n, 1n] }],
  ]);
  rewriter.replace(PASS, [node], {
    ...node,
    opType: 'Conv',
    inputs: [
      src,
      rewriter.addFloats(`${node.name}.scale`, weights, [channels, 1, 1, 1]),
      rewriter.addFloats(`${node.name}.shift`, bias, [channels]),
    ],
    outputs: node.outputs.slice(0, 1),
    attributes,
  });
}
