/**
 * The graph a model is imported into and that passes rewrite. Values are strings, unique in a graph; an absent
 * optional input or output is the empty string, as in ONNX. Nodes are in topological order.
 */
import type { Activation } from '@onegpu/kernels/core';
import type { Tensor, TensorType } from './tensor.ts';

export type AttributeValue =
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'ints'; readonly value: readonly bigint[] }
  | { readonly kind: 'floats'; readonly value: readonly number[] }
  | { readonly kind: 'strings'; readonly value: readonly string[] }
  | { readonly kind: 'tensor'; readonly value: Tensor }
  /** Steps within an operator that fusion makes; no model holds one. */
  | { readonly kind: 'activation'; readonly value: readonly Activation[] }
  | { readonly kind: 'unsupported'; readonly value: string };

/** What fusion put behind a node's own result, in the order of the kernels' epilogue. */
export interface NodeEpilogue {
  /** Value added after the bias, same dims as the output; the empty string when there is none. */
  readonly residual: string;
  readonly activation: readonly Activation[];
}

export const EMPTY_EPILOGUE: NodeEpilogue = { residual: '', activation: [] };

export interface GraphNode {
  /** Name in the model, or made from operator and position where the model has none. */
  readonly name: string;
  readonly opType: string;
  /** `''` is ONNX's own domain, `onegpu` holds operators that fusion makes. */
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  readonly epilogue: NodeEpilogue;
  /** Names of the model's nodes this one stands for, itself included; reports print them. */
  readonly covers: readonly string[];
}

/** An extent that is fixed, or a symbol that the feeds of a run decide. */
export type Dimension = number | string;

export interface GraphValue {
  readonly name: string;
  readonly type: TensorType;
  /** Undefined where the model gives no rank. */
  readonly dims: readonly Dimension[] | undefined;
}

export interface Graph {
  readonly name: string;
  /** Version of the default domain's operator set. */
  readonly opset: number;
  /** Inputs a run must feed: those without an initializer. */
  readonly inputs: readonly GraphValue[];
  readonly outputs: readonly GraphValue[];
  nodes: GraphNode[];
  readonly constants: Map<string, Tensor>;
}
