/**
 * A 1x1 Conv whose result only a depthwise Conv reads becomes one `onegpu` ExpandDepthwise node with it, where the map
 * between them has the same extents in every run and is not too large: one dispatch instead of two. Inputs: X, weights
 * and bias of the expansion, weights and bias of the depthwise convolution, whose attributes the node has. For hardware
 * adapters: the kernel waits at a barrier.
 */

import { AttributeReader } from '../attributes.ts';
import { EXPAND_DEPTHWISE } from '../fused-operators.ts';
import type { GraphNode } from '../graph.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, isOperator, makeNode } from './rewriter.ts';
import { pointwiseWeights } from './squeeze-excite.ts';

const PASS = 'expand-into-depthwise';
/**
 * Pixels of the largest map that has been quicker in one dispatch. Up to there the kernels choose by batch and channels,
 * and one by one the convolutions are what they are without the fusion, but for two: a graph input is not read in
 * planes, and what lies between them is float32 in a float16 graph. Those have to be small.
 */
const MOST_PIXELS = 112 * 112;
const SMALL_PIXELS = 1024;

export function fuseExpansion(rewriter: GraphRewriter): void {
  for (const expand of rewriter.nodes()) {
    if (!rewriter.has(expand) || !isExpansion(rewriter, expand)) continue;
    const wide = expand.outputs[0] ?? '';
    const depthwise = rewriter.soleReader(wide);
    if (!isOperator(depthwise, 'Conv') || !isDepthwise(rewriter, depthwise, wide)) continue;
    const fused = makeNode({
      name: depthwise.name,
      domain: 'onegpu',
      opType: EXPAND_DEPTHWISE,
      inputs: [expand.inputs[0] ?? '', ...operandsOf(expand), ...operandsOf(depthwise)],
      outputs: depthwise.outputs,
      attributes: new Map([
        ...depthwise.attributes,
        ['expand_activation', { kind: 'activation', value: expand.epilogue.activation }] as const,
      ]),
      epilogue: depthwise.epilogue,
      covers: coversOf(expand, depthwise),
    });
    rewriter.replace(PASS, [expand, depthwise], fused);
  }
}

function isExpansion(rewriter: GraphRewriter, node: GraphNode): boolean {
  if (!isOperator(node, 'Conv') || node.epilogue.residual !== '') return false;
  if (pointwiseWeights(rewriter, node) === undefined || !hasConstantBias(rewriter, node)) return false;
  const strides = new AttributeReader(node).ints('strides') ?? [];
  const src = node.inputs[0] ?? '';
  const extents = rewriter.facts.fixedSpatial(src);
  if (extents === undefined || strides.some((stride) => stride !== 1)) return false;
  const isInput = rewriter.graph.inputs.some(({ name }) => name === src);
  const most = !isInput && rewriter.facts.type(src) === 'float32' ? MOST_PIXELS : SMALL_PIXELS;
  return extents.reduce((product, extent) => product * extent, 1) <= most;
}

function isDepthwise(rewriter: GraphRewriter, node: GraphNode, wide: string): boolean {
  if (node.inputs[0] !== wide || node.epilogue.residual !== '' || !hasConstantBias(rewriter, node))
    return false;
  const weights = rewriter.constant(node.inputs[1] ?? '');
  const groups = new AttributeReader(node).int('group', 1);
  return weights?.dims.length === 4 && weights.dims[0] === groups && weights.dims[1] === 1;
}

function hasConstantBias(rewriter: GraphRewriter, conv: GraphNode): boolean {
  const bias = conv.inputs[2] ?? '';
  return bias === '' || rewriter.constant(bias) !== undefined;
}

function operandsOf(conv: GraphNode): readonly string[] {
  return [conv.inputs[1] ?? '', conv.inputs[2] ?? ''];
}
