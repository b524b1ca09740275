/**
 * Two ConvTranspose with kernel = stride, one behind the other, the second to one channel: the end of a text detection
 * head becomes one `onegpu` ConvTransposePair, and the map between them is never stored. Inputs: X, weights and bias of
 * the first, weights and bias of the second. For hardware adapters, which the traffic of that map costs more than weights
 * read without workgroup memory.
 */

import { MOST_MID_CHANNELS, MOST_TAPS } from '@onegpu/kernels';
import { AttributeReader } from '../attributes.ts';
import { CONV_TRANSPOSE_PAIR } from '../fused-operators.ts';
import type { GraphNode } from '../graph.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, isOperator, makeNode } from './rewriter.ts';

const PASS = 'pair-transposed';
export function pairTransposed(rewriter: GraphRewriter): void {
  for (const first of rewriter.nodes()) {
    if (!rewriter.has(first)) continue;
    const value = first.outputs[0] ?? '';
    const second = rewriter.soleReader(value);
    if (second === undefined || second.inputs[0] !== value || !fits(rewriter, first, second)) continue;
    const fused = makeNode({
      name: second.name,
      domain: 'onegpu',
      opType: CONV_TRANSPOSE_PAIR,
      inputs: [first.inputs[0] ?? '', ...operandsOf(first), ...operandsOf(second)],
      outputs: second.outputs,
      attributes: new Map([['hidden_activation', { kind: 'activation', value: first.epilogue.activation }]]),
      epilogue: second.epilogue,
      covers: coversOf(first, second),
    });
    rewriter.replace(PASS, [first, second], fused);
  }
}

function fits(rewriter: GraphRewriter, first: GraphNode, second: GraphNode): boolean {
  const [, mid] = tilingWeights(rewriter, first) ?? [];
  const [from, to, ...taps] = tilingWeights(rewriter, second) ?? [];
  if (mid === undefined || mid !== from || mid > MOST_MID_CHANNELS) return false;
  return to === 1 && taps.reduce((product, extent) => product * extent, 1) <= MOST_TAPS;
}

/** Dims of the constant weights of a ConvTranspose whose taps tile the output, without a residual; else undefined. */
function tilingWeights(rewriter: GraphRewriter, node: GraphNode): readonly number[] | undefined {
  if (!isOperator(node, 'ConvTranspose') || node.epilogue.residual !== '') return undefined;
  const dims = rewriter.constant(node.inputs[1] ?? '')?.dims;
  const bias = node.inputs[2] ?? '';
  if (dims?.length !== 4 || (bias !== '' && rewriter.constant(bias) === undefined)) return undefined;
  const attributes = new AttributeReader(node);
  const all = (name: string, value: number): boolean =>
    (attributes.ints(name) ?? []).every((entry) => entry === value);
  const plain = all('pads', 0) && all('dilations', 1) && all('output_padding', 0);
  const free = attributes.string('auto_pad', 'NOTSET') === 'NOTSET' && !node.attributes.has('output_shape');
  const strides = attributes.ints('strides') ?? [1, 1];
  const tiles = String(strides) === String(dims.slice(2));
  return plain && free && tiles && attributes.int('group', 1) === 1 ? dims : undefined;
}

function operandsOf(node: GraphNode): readonly string[] {
  return [node.inputs[1] ?? '', node.inputs[2] ?? ''];
}
