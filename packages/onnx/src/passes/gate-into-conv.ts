/**
 * x * s, s the factors that SqueezeExcite makes of x, read by a 1x1 convolution alone: an `onegpu` GatedConv multiplies
 * x as it reads it, and the Mul over the whole picture goes. Inputs: X, W, B and the gate. For hardware adapters: a
 * software adapter multiplies each element once for every block of output channels.
 */
import { GATED_CONV, SQUEEZE_EXCITE } from '../fused-operators.ts';
import type { GraphNode } from '../graph.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, hasPlainEpilogue, isOperator } from './rewriter.ts';
import { pointwiseWeights } from './squeeze-excite.ts';

const PASS = 'gate-into-conv';
export function gateConvolutions(rewriter: GraphRewriter): void {
  for (const mul of rewriter.nodes()) {
    if (!isOperator(mul, 'Mul') || !hasPlainEpilogue(mul)) continue;
    const [left = '', right = ''] = mul.inputs;
    if (!fuse(rewriter, mul, left, right)) fuse(rewriter, mul, right, left);
  }
}

function fuse(rewriter: GraphRewriter, mul: GraphNode, x: string, gate: string): boolean {
  const product = mul.outputs[0] ?? '';
  const conv = rewriter.soleReader(product);
  if (!isOperator(conv, 'Conv') || conv.inputs[0] !== product) return false;
  const weights = pointwiseWeights(rewriter, conv);
  const channels = weights?.dims[1];
  if (channels === undefined || !makesFactors(rewriter, gate, { x, channels })) return false;
  rewriter.replace(PASS, [mul, conv], {
    ...conv,
    domain: 'onegpu',
    opType: GATED_CONV,
    inputs: [x, conv.inputs[1] ?? '', conv.inputs[2] ?? '', gate],
    covers: coversOf(mul, conv),
  });
  return true;
}

/** Whether `gate` holds one factor an image and channel of x. */
export function makesFactors(
  rewriter: GraphRewriter,
  gate: string,
  { x, channels }: { readonly x: string; readonly channels: number },
): boolean {
  const excite = rewriter.producer(gate);
  if (excite?.domain !== 'onegpu' || excite.opType !== SQUEEZE_EXCITE || excite.inputs[0] !== x) return false;
  return rewriter.constant(excite.inputs[3] ?? '')?.dims[0] === channels;
}
