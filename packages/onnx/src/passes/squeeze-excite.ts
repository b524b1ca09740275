/**
 * GlobalAveragePool, two 1x1 convolutions over its one pixel and their activations become one `onegpu` SqueezeExcite
 * node, which runs in one or two dispatches instead of three. Inputs: picture, weights and bias of the first, weights
 * and bias of the second convolution. For hardware adapters: its kernels wait at barriers.
 */

import { AttributeReader } from '../attributes.ts';
import { SQUEEZE_EXCITE } from '../fused-operators.ts';
import type { GraphNode } from '../graph.ts';
import type { Tensor } from '../tensor.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, hasPlainEpilogue, isOperator, makeNode } from './rewriter.ts';

const PASS = 'squeeze-excite';
export function fuseSqueezeExcite(rewriter: GraphRewriter): void {
  for (const pool of rewriter.nodes()) {
    if (!isOperator(pool, 'GlobalAveragePool') || !hasPlainEpilogue(pool)) continue;
    const squeeze = productBehind(rewriter, pool);
    const excite = squeeze && productBehind(rewriter, squeeze);
    if (squeeze === undefined || excite === undefined) continue;
    const fused = makeNode({
      name: excite.name,
      domain: 'onegpu',
      opType: SQUEEZE_EXCITE,
      inputs: [pool.inputs[0] ?? '', ...operandsOf(squeeze), ...operandsOf(excite)],
      outputs: excite.outputs,
      attributes: new Map([
        ['hidden_activation', { kind: 'activation', value: squeeze.epilogue.activation }],
      ]),
      epilogue: excite.epilogue,
      covers: coversOf(pool, squeeze, excite),
    });
    rewriter.replace(PASS, [pool, squeeze, excite], fused);
  }
}

/** The only reader of a node's result, where it is a 1x1 convolution of constants that adds nothing else. */
function productBehind(rewriter: GraphRewriter, node: GraphNode): GraphNode | undefined {
  const value = node.outputs[0] ?? '';
  const conv = rewriter.soleReader(value);
  if (!isOperator(conv, 'Conv') || conv.inputs[0] !== value || conv.epilogue.residual !== '')
    return undefined;
  const weights = pointwiseWeights(rewriter, conv);
  const bias = conv.inputs[2] ?? '';
  return weights === undefined || (bias !== '' && rewriter.constant(bias) === undefined) ? undefined : conv;
}

/** Constant weights [oc, ic, 1, 1] of a convolution without groups and pads. */
export function pointwiseWeights(rewriter: GraphRewriter, conv: GraphNode): Tensor | undefined {
  const weights = rewriter.constant(conv.inputs[1] ?? '');
  if (weights?.dims.length !== 4 || weights.dims[2] !== 1 || weights.dims[3] !== 1) return undefined;
  const attributes = new AttributeReader(conv);
  const padded = (attributes.ints('pads') ?? []).some((pad) => pad !== 0);
  return padded || attributes.int('group', 1) !== 1 ? undefined : weights;
}

function operandsOf(conv: GraphNode): readonly string[] {
  return [conv.inputs[1] ?? '', conv.inputs[2] ?? ''];
}
