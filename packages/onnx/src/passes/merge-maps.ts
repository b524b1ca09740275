/**
 * The junctions of a feature pyramid as one `onegpu` MergeMaps node each: Concat along the channels of maps that nearest
 * Resize or factors of squeeze-excite made, and the sum of a resized map and a gated one. The maps between are not
 * stored. For hardware adapters, where each launch that goes is worth more than the index tables.
 */

import { AttributeReader } from '../attributes.ts';
import { MERGE_MAPS } from '../fused-operators.ts';
import type { AttributeValue, GraphNode } from '../graph.ts';
import { makesFactors } from './gate-into-conv.ts';
import type { GraphRewriter } from './rewriter.ts';
import { coversOf, hasPlainEpilogue, isOperator, makeNode } from './rewriter.ts';

const PASS = 'merge-maps';
/** One map of a junction, and the nodes it takes the place of. */
interface Part {
  /** X, gate, scales, sizes. */
  readonly inputs: readonly [string, string, string, string];
  readonly resize: GraphNode | undefined;
  readonly nodes: readonly GraphNode[];
}

export function mergeMaps(rewriter: GraphRewriter): void {
  if (rewriter.graph.opset < 11) return; // Resize of opset 10 has its scales elsewhere.
  for (const node of rewriter.nodes()) {
    if (!rewriter.has(node)) continue;
    if (isOperator(node, 'Concat') && hasPlainEpilogue(node)) mergeConcat(rewriter, node);
    else if (isNearest(node) && node.epilogue.residual !== '') mergeSum(rewriter, node);
  }
}

function mergeConcat(rewriter: GraphRewriter, concat: GraphNode): void {
  const axis = new AttributeReader(concat).int('axis', 1);
  if (axis !== 1 && axis !== -3) return;
  const maps = concat.inputs.every((input) => {
    const channels = rewriter.facts.channels(input);
    return rewriter.facts.rank(input) === 4 && channels !== undefined && channels % 4 === 0;
  });
  if (!maps || new Set(concat.inputs).size !== concat.inputs.length) return;
  const parts = concat.inputs.map((input) => readPart(rewriter, concat, input));
  merge(rewriter, concat, 'concat', parts);
}

function mergeSum(rewriter: GraphRewriter, resize: GraphNode): void {
  const { residual, activation } = resize.epilogue;
  const other = readPart(rewriter, resize, residual);
  if (activation.length > 0 || other.inputs[1] === '' || rewriter.facts.rank(residual) !== 4) return;
  const own = readGate(rewriter, resize, resize.inputs[0] ?? '');
  const [scales, sizes] = [resize.inputs[2] ?? '', resize.inputs[3] ?? ''];
  const first: Part = { inputs: [own.x, own.gate, scales, sizes], resize, nodes: own.nodes };
  merge(rewriter, resize, 'sum', [first, other]);
}

function merge(
  rewriter: GraphRewriter,
  node: GraphNode,
  way: 'concat' | 'sum',
  parts: readonly Part[],
): void {
  const resizes = parts.flatMap(({ resize }) => resize ?? []);
  const attributes = new Set(resizes.map((resize) => attributesKey(resize)));
  const nodes = parts.flatMap((part) => part.nodes);
  const constants = parts.some(({ inputs }) => rewriter.constant(inputs[0]) !== undefined);
  const floats = parts.every(({ inputs }) => rewriter.facts.type(inputs[0]) === 'float32');
  if (nodes.length === 0 || attributes.size > 1 || constants || !floats) return;
  const fused = makeNode({
    name: node.name,
    domain: 'onegpu',
    opType: MERGE_MAPS,
    inputs: parts.flatMap(({ inputs }) => inputs),
    outputs: node.outputs,
    attributes: new Map([
      ...(resizes[0]?.attributes ?? []),
      ['merge', { kind: 'string', value: way }] as const,
    ]),
    covers: coversOf(...nodes, node),
  });
  rewriter.replace(PASS, [...nodes, node], fused);
}

/** The map that `reader` alone reads as `value`: resized, gated, both or as it is. */
function readPart(rewriter: GraphRewriter, reader: GraphNode, value: string): Part {
  const resize = rewriter.producer(value);
  const resized =
    resize !== undefined &&
    isNearest(resize) &&
    hasPlainEpilogue(resize) &&
    rewriter.soleReader(value) === reader;
  if (!resized) {
    const { x, gate, nodes } = readGate(rewriter, reader, value);
    return { inputs: [x, gate, '', ''], resize: undefined, nodes };
  }
  const { x, gate, nodes } = readGate(rewriter, resize, resize.inputs[0] ?? '');
  const [scales, sizes] = [resize.inputs[2] ?? '', resize.inputs[3] ?? ''];
  return { inputs: [x, gate, scales, sizes], resize, nodes: [...nodes, resize] };
}

/** The value, or the two factors of a product that `reader` alone reads. */
function readGate(rewriter: GraphRewriter, reader: GraphNode, value: string) {
  const mul = rewriter.producer(value);
  if (isOperator(mul, 'Mul') && hasPlainEpilogue(mul) && rewriter.soleReader(value) === reader) {
    const [left = '', right = ''] = mul.inputs;
    const channels = rewriter.facts.channels(value);
    const orders = [
      { x: left, gate: right },
      { x: right, gate: left },
    ];
    const found = orders.find(
      ({ x, gate }) => channels !== undefined && makesFactors(rewriter, gate, { x, channels }),
    );
    if (found !== undefined) return { ...found, nodes: [mul] };
  }
  return { x: value, gate: '', nodes: [] };
}

function isNearest(node: GraphNode): boolean {
  if (!isOperator(node, 'Resize')) return false;
  const attributes = new AttributeReader(node);
  const mode = attributes.string('coordinate_transformation_mode', 'half_pixel');
  return attributes.string('mode', 'nearest') === 'nearest' && mode !== 'tf_crop_and_resize';
}

function attributesKey({ attributes }: GraphNode): string {
  const text = ([name, { value }]: readonly [string, AttributeValue]): string => `${name}=${String(value)}`;
  return [...attributes].map(text).sort().join(';');
}
