/**
 * A Conv that alone reads a graph input of at most four channels reads it as it is fed, in planes: an `onegpu` PlanarConv
 * with the inputs and attributes of the Conv, and the dispatch that would change the picture's layout goes. For hardware
 * adapters: the kernels of software adapters read planes one by one at each tap.
 */

import { AttributeReader } from '../attributes.ts';
import { PLANAR_CONV } from '../fused-operators.ts';
import type { GraphNode } from '../graph.ts';
import type { GraphRewriter } from './rewriter.ts';
import { isOperator } from './rewriter.ts';

const PASS = 'planes-into-conv';
/** Channels whose planes are read one by one. */
const MOST_CHANNELS = 4;

export function readPlanes(rewriter: GraphRewriter): void {
  for (const input of rewriter.graph.inputs) {
    const conv = rewriter.soleReader(input.name);
    if (!isOperator(conv, 'Conv') || conv.inputs[0] !== input.name || !isDense(rewriter, conv)) continue;
    rewriter.replace(PASS, [conv], { ...conv, domain: 'onegpu', opType: PLANAR_CONV });
  }
}

/** Constant weights of two spatial axes and few input channels, without groups. */
function isDense(rewriter: GraphRewriter, conv: GraphNode): boolean {
  const [, weightsName = '', bias = ''] = conv.inputs;
  const weights = rewriter.constant(weightsName);
  if (weights?.dims.length !== 4 || (bias !== '' && rewriter.constant(bias) === undefined)) return false;
  const channels = weights.dims[1] ?? 0;
  return channels >= 1 && channels <= MOST_CHANNELS && new AttributeReader(conv).int('group', 1) === 1;
}
