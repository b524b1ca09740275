/** What a model is, without a GPU: inputs, outputs, operators, parameters, what we lack, and its work. */
import './register.ts';
import { type UnsupportedNode, UnsupportedOperatorError } from '@onegpu/core';
import { findUnsupported } from './check-support.ts';
import { foldConstants } from './constant-folding.ts';
import type { Graph, GraphValue } from './graph.ts';
import { hostValueOf } from './host-feeds.ts';
import { type ImportedModel, importModel, type ModelMetadata } from './import.ts';
import { inferShapes } from './infer-shapes.ts';
import { qualifiedName } from './inline-functions.ts';
import { countMultiplyAdds } from './multiply-adds.ts';
import { checkTypes } from './prepare-model.ts';
import { decodeModel } from './proto/decode-model.ts';
import { type FreeDimension, freeDimensions, resolveInputs, withInputDims } from './resolve-inputs.ts';

export interface ModelInfo extends ModelMetadata {
  readonly name: string;
  readonly inputs: readonly GraphValue[];
  readonly outputs: readonly GraphValue[];
  /** Extents that a run decides. */
  readonly freeDimensions: readonly FreeDimension[];
  /** Nodes an operator, most frequent first; Constant nodes and calls of local functions are not counted. */
  readonly operators: readonly { readonly operator: string; readonly count: number }[];
  /** Elements of all floating-point constants. */
  readonly parameters: number;
  /** Bytes of all constants. */
  readonly constantBytes: number;
  readonly unsupported: readonly UnsupportedNode[];
  /**
   * For the shapes given, or the model's own where none is free; undefined when extents or operators are missing,
   * and when a shape depends on the values that are fed.
   */
  readonly multiplyAdds: number | undefined;
}

export interface ModelInfoOptions {
  /** Dims an input, for the count of multiply-adds; fixed extents may be overridden. */
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
}

/**
 * Describes a model given as bytes or loaded already (`loadModel` finds data files beside it).
 * @throws InvalidModelError when the bytes are no valid model; InvalidInputError and GpuKernelShapeError when the
 * shapes given do not fit it.
 */
export function modelInfo(model: Uint8Array | ImportedModel, options: ModelInfoOptions = {}): ModelInfo {
  const imported = model instanceof Uint8Array ? importModel(decodeModel(model)) : model;
  const { graph, metadata } = imported;
  const lacking = findUnsupported(graph, imported.unsupported);
  const unsupported = lacking.length > 0 ? lacking : unbuiltTypes(graph);
  return {
    name: graph.name,
    ...metadata,
    inputs: graph.inputs,
    outputs: graph.outputs,
    freeDimensions: freeDimensions(graph),
    operators: countOperators(graph),
    ...measureConstants(graph),
    unsupported,
    multiplyAdds: unsupported.length > 0 ? undefined : multiplyAddsFor(graph, options.shapes ?? {}),
  };
}

/** As a session refuses them once every operator is known. */
function unbuiltTypes(graph: Graph): readonly UnsupportedNode[] {
  const folded = withInputDims(graph, {});
  try {
    foldConstants(folded);
    checkTypes(folded);
  } catch (error) {
    if (error instanceof UnsupportedOperatorError) return error.nodes;
  }
  return [];
}

function countOperators(graph: Graph): ModelInfo['operators'] {
  const counts = new Map<string, number>();
  for (const node of graph.nodes) {
    const operator = qualifiedName(node);
    counts.set(operator, (counts.get(operator) ?? 0) + 1);
  }
  return [...counts]
    .map(([operator, count]) => ({ operator, count }))
    .sort((a, b) => b.count - a.count || a.operator.localeCompare(b.operator));
}

function measureConstants(graph: Graph): Pick<ModelInfo, 'parameters' | 'constantBytes'> {
  let parameters = 0;
  let constantBytes = 0;
  for (const { type, size, data } of graph.constants.values()) {
    if (type.startsWith('float')) parameters += size;
    if (!Array.isArray(data)) constantBytes += data.byteLength;
  }
  return { parameters, constantBytes };
}

function multiplyAddsFor(
  graph: Graph,
  shapes: Readonly<Record<string, readonly number[]>>,
): number | undefined {
  const shaped = withInputDims(graph, shapes);
  const feeds: Record<string, { type: GraphValue['type']; dims: readonly number[] }> = {};
  for (const { name, type, dims } of shaped.inputs) {
    const fixed = dims?.filter((extent) => typeof extent === 'number');
    if (fixed === undefined || fixed.length !== dims?.length) return undefined;
    feeds[name] = { type, dims: fixed };
  }
  foldConstants(shaped);
  try {
    return countMultiplyAdds(shaped, inferShapes(shaped, resolveInputs(shaped, feeds)).values);
  } catch (error) {
    if (error instanceof UnsupportedOperatorError || hostValueOf(error) !== undefined) return undefined;
    throw error;
  }
}
