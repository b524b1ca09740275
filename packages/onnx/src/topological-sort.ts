/**
 * Orders nodes so that every value is made before it is read; nodes already in order stay where they are. A depth-
 * first walk over producers with an explicit stack, so that deep graphs do not exhaust the call stack.
 */
import { InvalidModelError } from '@onegpu/core';
import type { GraphNode } from './graph.ts';

/** @throws InvalidModelError naming the nodes of a cycle. */
export function sortTopologically(nodes: readonly GraphNode[]): GraphNode[] {
  const producers = new Map<string, GraphNode>();
  for (const node of nodes) {
    for (const output of node.outputs) if (output !== '') producers.set(output, node);
  }
  const sorted: GraphNode[] = [];
  const done = new Set<GraphNode>();
  for (const root of nodes) visit(root, producers, done, sorted);
  return sorted;
}

interface Frame {
  readonly node: GraphNode;
  next: number;
}

function visit(
  root: GraphNode,
  producers: ReadonlyMap<string, GraphNode>,
  done: Set<GraphNode>,
  sorted: GraphNode[],
): void {
  if (done.has(root)) return;
  const stack: Frame[] = [{ node: root, next: 0 }];
  const open = new Set<GraphNode>([root]);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const input = frame.node.inputs[frame.next++];
    if (input === undefined) {
      stack.pop();
      open.delete(frame.node);
      done.add(frame.node);
      sorted.push(frame.node);
      continue;
    }
    const producer = producers.get(input);
    if (producer === undefined || done.has(producer)) continue;
    if (open.has(producer)) throw cycleError(stack, producer);
    open.add(producer);
    stack.push({ node: producer, next: 0 });
  }
}

function cycleError(stack: readonly Frame[], repeated: GraphNode): InvalidModelError {
  const start = stack.findIndex((frame) => frame.node === repeated);
  // The stack runs from reader to producer; the data flow the other way.
  const names = stack.slice(start).map((frame) => frame.node.name);
  const cycle = [...names, repeated.name].reverse();
  return new InvalidModelError('the graph has a cycle', {
    subject: 'graph',
    field: 'node',
    got: cycle.map((name) => `"${name}"`).join(' -> '),
  });
}
