/**
 * Refusals that show only once types are known: an element type that no kernel takes, a cast that is not built.
 * Types do not depend on extents, so one inference at load tells them all, and a session refuses the model at once.
 */
import { defaultCapabilities, type UnsupportedNode, UnsupportedOperatorError } from '@onegpu/core';
import { dataValues } from './data-values.ts';
import { unsupportedError } from './extension.ts';
import type { Graph, GraphNode } from './graph.ts';
import { contextOf, namingNode } from './node-context.ts';
import type { ValueInfo } from './op-definition.ts';
import { findOperator } from './ops/registry.ts';
import { gpuElementType } from './stored-tensors.ts';

/** What of them the entry for browsers has depends on the extents, which are certain where the model's inputs are fixed. */
const RESIZES: ReadonlySet<string> = new Set(['Resize', 'Upsample']);

type Values = ReadonlyMap<string, ValueInfo>;

/** @throws UnsupportedOperatorError listing every node and value that the GPU would have to compute and cannot. */
export function checkBuilt(graph: Graph, values: Values): void {
  const refused = [
    ...graph.inputs.flatMap((input) => refusalsOf(() => checkStorage(input.name, values))),
    ...nodesToCheck(graph, values).flatMap((node) => refusalsOf(() => checkNode(node, graph, values))),
  ];
  if (refused.length > 0) throw unsupportedError(refused);
}

/**
 * Lowering takes time: of nodes that read and make floats alone, one an operator and ranks tells of all. Those that read
 * extents only run on the host where these are small enough.
 */
function nodesToCheck(graph: Graph, values: Values): readonly GraphNode[] {
  const seen = new Set<string>();
  const data = dataValues(graph, graph.inputs);
  const fixed = graph.inputs.every(({ dims }) => dims?.every((extent) => typeof extent === 'number'));
  return graph.nodes.filter(({ opType, domain, inputs, outputs }) => {
    if (RESIZES.has(opType)) return fixed;
    if (!fixed && !inputs.some((input) => data.has(input))) return false;
    const infos = [...inputs, ...outputs].map((value) => values.get(value));
    if (infos.some((info) => info !== undefined && info.type !== 'float32')) return true;
    const key = [domain, opType, ...infos.map((info) => info?.dims.length)].join();
    return !seen.has(key) && seen.add(key);
  });
}

function refusalsOf(check: () => void): readonly UnsupportedNode[] {
  try {
    check();
    return [];
  } catch (error) {
    // Anything else depends on the extents, and is told when a run brings them.
    return error instanceof UnsupportedOperatorError ? error.nodes : [];
  }
}

function checkStorage(value: string, values: Values): void {
  const info = values.get(value);
  if (info !== undefined && info.constant === undefined) gpuElementType(info.type, value);
}

function checkNode(node: GraphNode, graph: Graph, values: Values): void {
  const made = node.outputs.filter((output) => output !== '');
  if (made.every((output) => values.get(output)?.constant !== undefined)) return;
  namingNode(node, () =>
    findOperator(node.domain, node.opType)?.lower?.({
      ...contextOf(node, graph.opset, values),
      outputs: node.outputs.map((output) => values.get(output) ?? { type: 'float32', dims: [0] }),
      layouts: { inputs: node.inputs.map(() => 'nchw'), outputs: node.outputs.map(() => 'nchw') },
      capabilities: defaultCapabilities(),
      mode: 'fast',
      algorithm: undefined,
      activation: node.epilogue.activation,
      residual: node.epilogue.residual !== '',
    }),
  );
  for (const output of made) checkStorage(output, values);
}
