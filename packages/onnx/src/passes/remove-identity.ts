/**
 * Nodes whose output is their input go: Identity, Dropout at inference, Transpose by the identity, Concat of one
 * value, Pad by nothing, and a Cast to the type the value already has.
 */
import { AttributeReader } from '../attributes.ts';
import type { GraphNode } from '../graph.ts';
import { elementType } from '../proto/element-type.ts';
import { readPads } from './pad-reading.ts';
import type { GraphRewriter } from './rewriter.ts';
import { hasPlainEpilogue, isOperator } from './rewriter.ts';
import { isIdentityOrder, readOrder } from './transpose-pairs.ts';

const PASS = 'remove-identity';

export function removeIdentity(rewriter: GraphRewriter): void {
  for (const node of rewriter.nodes()) {
    if (!rewriter.has(node) || !hasPlainEpilogue(node) || !isIdentity(rewriter, node)) continue;
    const [input = ''] = node.inputs;
    const [output = ''] = node.outputs;
    if (input !== '' && output !== '') rewriter.bypass(PASS, node, input, output);
  }
}

function isIdentity(rewriter: GraphRewriter, node: GraphNode): boolean {
  if (isOperator(node, 'Identity')) return true;
  if (isOperator(node, 'Dropout')) return isInferenceDropout(rewriter, node);
  if (isOperator(node, 'Concat')) return node.inputs.length === 1;
  if (isOperator(node, 'Pad')) return readPads(rewriter, node)?.pads.every((extent) => extent === 0) ?? false;
  if (isOperator(node, 'Transpose')) {
    const order = readOrder(node);
    return order !== undefined && isIdentityOrder(order);
  }
  if (isOperator(node, 'Cast')) {
    const type = elementType(new AttributeReader(node).int('to', 0));
    return type !== undefined && rewriter.facts.type(node.inputs[0] ?? '') === type;
  }
  return false;
}

/** Without a mask that somebody reads, and with training mode absent or constant false. */
function isInferenceDropout(rewriter: GraphRewriter, node: GraphNode): boolean {
  const mask = node.outputs[1] ?? '';
  if (mask !== '' && (rewriter.readers(mask).length > 0 || rewriter.isOutput(mask))) return false;
  const training = node.inputs[2] ?? '';
  return training === '' || rewriter.constant(training)?.data[0] === 0;
}
