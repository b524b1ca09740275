/** What a node's definition is given, and whose fault it is when the definition throws. */
import { GpuKernelShapeError } from '@onegpu/core';
import { AttributeReader } from './attributes.ts';
import { unsupportedError } from './extension.ts';
import type { GraphNode } from './graph.ts';
import { qualifiedName } from './inline-functions.ts';
import { NotBuiltError } from './not-built.ts';
import type { NodeContext, ValueInfo } from './op-definition.ts';

/** The context of a node over the values known so far. */
export function contextOf(
  node: GraphNode,
  opset: number,
  values: ReadonlyMap<string, ValueInfo>,
): NodeContext {
  return {
    node,
    opset,
    attributes: new AttributeReader(node),
    inputs: node.inputs.map((name) => (name === '' ? undefined : values.get(name))),
  };
}

/** Whether fusion put something behind the node's own result; such a node is not evaluated on the host. */
export function hasEpilogue(node: GraphNode): boolean {
  return node.epilogue.residual !== '' || node.epilogue.activation.length > 0;
}

/**
 * Runs `work`; a kernel's complaint about shapes gets the node's name in front.
 * @throws UnsupportedOperatorError where the operator is legal but not built.
 */
export function namingNode<T>(node: GraphNode, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof GpuKernelShapeError)) throw cause;
    if (cause instanceof NotBuiltError) {
      const refusal = { node: node.name, operator: qualifiedName(node), reason: cause.message };
      throw unsupportedError([refusal]);
    }
    throw new GpuKernelShapeError(cause.message, { subject: nodeLabel(node) }, { cause });
  }
}

/** `Conv "/stem/conv"`. */
export function nodeLabel(node: GraphNode): string {
  return `${qualifiedName(node)} "${node.name}"`;
}
