/**
 * A Conv whose residual is another Conv that nothing else reads, one of them 1x1: the downsampling shortcut of a
 * residual block. Both are one sum, so they become one `onegpu` ShortcutConv node, and the shortcut's result is never
 * stored. Inputs: X, W, the sum of both biases, the shortcut's X and W; attributes are those of the Conv that is not the
 * shortcut, and `shortcut_strides`. For hardware adapters: the kernel of software adapters reads one source.
 */

import { AttributeReader } from '../attributes.ts';
import { SHORTCUT_CONV } from '../fused-operators.ts';
import type { GraphNode } from '../graph.ts';
import { EMPTY_EPILOGUE } from '../graph.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, hasPlainEpilogue, isOperator } from './rewriter.ts';
import { pointwiseWeights } from './squeeze-excite.ts';
import { isFiniteArray, readFoldable } from './weight-folding.ts';

const PASS = 'shortcut-into-conv';
export function foldShortcut(rewriter: GraphRewriter): void {
  for (const host of rewriter.nodes()) {
    if (isHost(host)) fuse(rewriter, host);
  }
}

function fuse(rewriter: GraphRewriter, host: GraphNode): void {
  const { residual, activation } = host.epilogue;
  const other = rewriter.producer(residual);
  if (!isOperator(other, 'Conv') || !hasPlainEpilogue(other) || groupsOf(other) !== 1) return;
  if (rewriter.soleReader(residual) !== host) return;
  const shortcut = [other, host].find((node) => pointwiseWeights(rewriter, node) !== undefined);
  const bias = biasOfBoth(rewriter, host, other);
  if (shortcut === undefined || bias === undefined) return;
  const main = shortcut === host ? other : host;
  const strides = new AttributeReader(shortcut).ints('strides') ?? [1, 1];
  rewriter.replace(PASS, [other, host], {
    ...host,
    domain: 'onegpu',
    opType: SHORTCUT_CONV,
    inputs: [
      ...[main.inputs[0] ?? '', main.inputs[1] ?? ''],
      rewriter.addFloats(`${host.name}.bias`, bias, [bias.length]),
      ...[shortcut.inputs[0] ?? '', shortcut.inputs[1] ?? ''],
    ],
    attributes: new Map([
      ...main.attributes,
      ['shortcut_strides', { kind: 'ints', value: strides.map(BigInt) }] as const,
    ]),
    epilogue: { ...EMPTY_EPILOGUE, activation },
    covers: coversOf(other, host),
  });
}

/** A picture's Conv without groups that adds a residual. */
function isHost(node: GraphNode): boolean {
  return isOperator(node, 'Conv') && node.epilogue.residual !== '' && groupsOf(node) === 1;
}

function groupsOf(node: GraphNode): number {
  return new AttributeReader(node).int('group', 1);
}

/** Undefined where weights or biases are no float32 constants, or the sum is not finite. */
function biasOfBoth(rewriter: GraphRewriter, host: GraphNode, other: GraphNode): Float32Array | undefined {
  const first = readFoldable(rewriter, host);
  const second = readFoldable(rewriter, other);
  if (first?.rank !== 4 || first.channels !== second?.channels) return undefined;
  const sum = Float32Array.from(first.bias, (value, channel) => value + (second.bias[channel] ?? 0));
  return isFiniteArray(sum) ? sum : undefined;
}
