/**
 * Inputs whose values decide shapes: the `shape` of a Reshape, the `sizes` of a Resize, fed at run time instead of
 * kept in the model. Which inputs these are shows while shapes are inferred: an operator asks for a value that is
 * not known, and the inputs behind that value must be planned with, as constants are.
 */
import type { Graph } from './graph.ts';
import { HostValueError } from './ops/host-input.ts';

/** Name of the value that inference lacked, where that is why it failed. */
export function hostValueOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof HostValueError) return cause.value;
  }
  return undefined;
}

/** The graph's inputs that a value is computed from, itself included. */
export function inputsBehind(graph: Graph, value: string): readonly string[] {
  const makers = new Map(
    graph.nodes.flatMap((node) => node.outputs.map((output) => [output, node] as const)),
  );
  const seen = new Set([value]);
  for (const name of seen) {
    const node = makers.get(name);
    for (const input of node?.inputs ?? []) if (input !== '') seen.add(input);
  }
  return graph.inputs.map((input) => input.name).filter((name) => seen.has(name));
}
