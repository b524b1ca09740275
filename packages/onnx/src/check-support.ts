/**
 * Accepts or refuses a model's nodes at load: operator, domain, opset, arity, attributes and what the operator's own
 * definition says. All refusals are collected, so that one error lists everything a model would need.
 */
import { GpuKernelShapeError, type UnsupportedNode } from '@onegpu/core';
import { AttributeReader } from './attributes.ts';
import { dataValues, readsExtentsOnly } from './data-values.ts';
import { absentOperator, unsupportedError } from './extension.ts';
import type { Graph, GraphNode } from './graph.ts';
import { qualifiedName } from './inline-functions.ts';
import type { OperatorDefinition } from './op-definition.ts';
import { findOperator } from './ops/registry.ts';

/** Every node that cannot run, with the reason; `imported` are refusals of the import, listed first. */
export function findUnsupported(
  graph: Graph,
  imported: readonly UnsupportedNode[] = [],
): readonly UnsupportedNode[] {
  const data = dataValues(graph);
  const refused = graph.nodes.flatMap((node) => {
    const reason = refuseNode(node, graph) ?? refuseHostOnly(node, data);
    return reason === undefined ? [] : [{ node: node.name, operator: qualifiedName(node), reason }];
  });
  return [...imported, ...refused];
}

/** @throws UnsupportedOperatorError listing every node that cannot run. */
export function checkSupport(graph: Graph, imported: readonly UnsupportedNode[] = []): void {
  const unsupported = findUnsupported(graph, imported);
  if (unsupported.length > 0) throw unsupportedError(unsupported);
}

function refuseNode(node: GraphNode, graph: Graph): string | undefined {
  const definition = findOperator(node.domain, node.opType);
  if (definition === undefined) return unknownOperator(node);
  return (
    refuseOpset(definition, graph.opset) ??
    refuseArity(definition, node) ??
    refuseAttributes(definition, node) ??
    askDefinition(definition, node, graph)
  );
}

function refuseHostOnly(node: GraphNode, data: ReadonlySet<string>): string | undefined {
  const lowers = findOperator(node.domain, node.opType)?.lower !== undefined;
  if (lowers || readsExtentsOnly(node)) return undefined;
  const input = node.inputs.find((name) => data.has(name));
  if (input === undefined) return undefined;
  return `it runs on the host only, for shape arithmetic, but "${input}" is computed from the data of a run`;
}

function unknownOperator(node: GraphNode): string {
  return findOperator('', node.opType) === undefined || node.domain === ''
    ? (absentOperator(node.opType) ?? 'this operator is not implemented')
    : `the domain "${node.domain}" is not supported`;
}

function refuseOpset(definition: OperatorDefinition, opset: number): string | undefined {
  const [first, last] = definition.opsets;
  if (definition.domain !== '' || (opset >= first && opset <= last)) return undefined;
  return `opset ${opset} is not supported, only ${first} to ${last}`;
}

function refuseArity(definition: OperatorDefinition, node: GraphNode): string | undefined {
  const [fewest, most] = definition.arity;
  const given = node.inputs.findLastIndex((input) => input !== '') + 1;
  if (given < fewest || given > most) {
    return `got ${given} inputs, expected ${fewest === most ? fewest : `${fewest} to ${most}`}`;
  }
  const absent = node.inputs.slice(0, fewest).indexOf('');
  return absent < 0 ? undefined : `input ${absent} is absent, but this operator needs it`;
}

function refuseAttributes(definition: OperatorDefinition, node: GraphNode): string | undefined {
  for (const [name, value] of node.attributes) {
    if (!definition.attributes.includes(name)) return `the attribute "${name}" is not supported`;
    if (value.kind === 'unsupported') return `the attribute "${name}": ${value.value}`;
  }
  return undefined;
}

function askDefinition(definition: OperatorDefinition, node: GraphNode, graph: Graph): string | undefined {
  try {
    return definition.check?.(node, new AttributeReader(node), graph.opset, graph.constants);
  } catch (error) {
    if (error instanceof GpuKernelShapeError) return error.message;
    throw error;
  }
}
