/**
 * A residual sum that fusion put behind a node adds tensors of equal dims; whether they are equal was judged at
 * probed extents. For extents where the two sides broadcast after all (a window that floors beside one that rounds
 * up: 1 and 2 pixels), the sum is taken apart again into the node and an Add, for that plan alone.
 */
import type { GraphNode } from './graph.ts';
import { EMPTY_EPILOGUE } from './graph.ts';
import type { ValueInfo } from './op-definition.ts';

/**
 * The nodes that compute what `node` does: itself, or itself without the sum and an Add behind it.
 * @param own dims of the node's own result, before the sum
 * @param values what is known so far; the residual is among it
 */
export function splitResidual(
  node: GraphNode,
  own: readonly number[],
  values: ReadonlyMap<string, ValueInfo>,
): readonly GraphNode[] {
  const { residual, activation } = node.epilogue;
  const dims = residual === '' ? own : (values.get(residual)?.dims ?? own);
  if (dims.length === own.length && dims.every((extent, axis) => extent === own[axis])) return [node];
  const partial = freshValue(`${node.outputs[0] ?? node.name}/before-sum`, values);
  const sum: GraphNode = {
    name: `${node.name}/sum`,
    opType: 'Add',
    domain: '',
    inputs: [partial, residual],
    outputs: node.outputs,
    attributes: new Map(),
    epilogue: { residual: '', activation },
    covers: node.covers,
  };
  return [{ ...node, outputs: [partial], epilogue: EMPTY_EPILOGUE }, sum];
}

/** A name no value has yet. */
export function freshValue(base: string, values: ReadonlyMap<string, ValueInfo>): string {
  let name = base;
  while (values.has(name)) name += "'";
  return name;
}
