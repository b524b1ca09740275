/**
 * Small ONNX models for tests, from a plain description to the bytes of a ModelProto.
 *
 *   buildModel({
 *     inputs: { x: { type: 'float32', dims: ['batch', 3, 8, 8] } },
 *     outputs: ['y'],
 *     nodes: [{ op: 'Conv', inputs: ['x', 'w'], outputs: ['y'], attributes: { pads: [1, 1, 1, 1] } }],
 *     initializers: { w: new Tensor('float32', values, [4, 3, 3, 3]) },
 *   })
 */
import onnxProto, { type onnx } from 'onnx-proto';
import { dataTypeOf } from '../src/proto/element-type.ts';
import { tensorProto } from '../src/proto/encode-tensor.ts';
import { Tensor, type TensorType } from '../src/tensor.ts';

/** Numbers are INT where they are integers; `{ float: 1 }` and `{ floats: [1] }` say otherwise. */
export type AttributeDescription =
  | number
  | bigint
  | string
  | readonly (number | bigint)[]
  | readonly string[]
  | Tensor
  | { readonly float: number }
  | { readonly floats: readonly number[] }
  | { readonly graph: GraphDescription }
  /** Inside a function: the caller's attribute of this name, of ONNX's attribute type. */
  | { readonly ref: string; readonly type: number };

export interface NodeDescription {
  readonly op: string;
  readonly name?: string;
  readonly domain?: string;
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly attributes?: Readonly<Record<string, AttributeDescription>>;
}

export interface ValueDescription {
  readonly type?: TensorType;
  /** A text is a symbol; absent: no rank. */
  readonly dims?: readonly (number | string)[];
}

export interface GraphDescription {
  readonly inputs?: Readonly<Record<string, ValueDescription>>;
  /** Names, or names with types. */
  readonly outputs?: readonly string[] | Readonly<Record<string, ValueDescription>>;
  readonly nodes?: readonly NodeDescription[];
  readonly initializers?: Readonly<Record<string, Tensor>>;
}

export interface FunctionDescription {
  readonly name: string;
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: readonly string[];
  readonly nodes: readonly NodeDescription[];
  readonly opset?: number;
}

export interface ModelDescription extends GraphDescription {
  /** Version of the default domain, 17 unless given. */
  readonly opset?: number;
  /** Versions of further domains. */
  readonly domains?: Readonly<Record<string, number>>;
  readonly irVersion?: number;
  readonly functions?: readonly FunctionDescription[];
}

export function buildModel(model: ModelDescription): Uint8Array {
  return encodeModel(modelProto(model));
}

/** The message itself, for tests that change single fields before `encodeModel`. */
export function modelProto(model: ModelDescription): onnx.IModelProto {
  const opset = model.opset ?? 17;
  const domains = Object.entries({ '': opset, ...model.domains });
  return {
    irVersion: model.irVersion ?? 8,
    producerName: 'model-builder',
    opsetImport: domains.map(([domain, version]) => ({ domain, version })),
    graph: graphProto(model),
    functions: (model.functions ?? []).map((entry) => ({
      name: entry.name,
      domain: entry.domain,
      input: [...entry.inputs],
      output: [...entry.outputs],
      attribute: [...(entry.attributes ?? [])],
      node: entry.nodes.map(nodeProto),
      opsetImport: [{ domain: '', version: entry.opset ?? opset }],
    })),
  };
}

export function encodeModel(model: onnx.IModelProto): Uint8Array {
  return Uint8Array.from(onnxProto.onnx.ModelProto.encode(model).finish());
}

function graphProto(graph: GraphDescription): onnx.IGraphProto {
  const outputs: Readonly<Record<string, ValueDescription>> = Array.isArray(graph.outputs)
    ? Object.fromEntries(graph.outputs.map((name) => [name, {}]))
    : ((graph.outputs ?? {}) as Readonly<Record<string, ValueDescription>>);
  return {
    name: 'graph',
    input: Object.entries(graph.inputs ?? {}).map(([name, value]) => valueProto(name, value)),
    output: Object.entries(outputs).map(([name, value]) => valueProto(name, value)),
    node: (graph.nodes ?? []).map(nodeProto),
    initializer: Object.entries(graph.initializers ?? {}).map(([name, value]) => tensorProto(name, value)),
  };
}

function valueProto(name: string, value: ValueDescription): onnx.IValueInfoProto {
  const dim = value.dims?.map((extent) =>
    typeof extent === 'string' ? { dimParam: extent } : { dimValue: extent },
  );
  const elemType = dataTypeOf(value.type ?? 'float32');
  return { name, type: { tensorType: dim === undefined ? { elemType } : { elemType, shape: { dim } } } };
}

function nodeProto(node: NodeDescription): onnx.INodeProto {
  return {
    name: node.name ?? '',
    opType: node.op,
    domain: node.domain ?? '',
    input: [...(node.inputs ?? [])],
    output: [...(node.outputs ?? [])],
    attribute: Object.entries(node.attributes ?? {}).map(([name, value]) => attributeProto(name, value)),
  };
}

function attributeProto(name: string, value: AttributeDescription): onnx.IAttributeProto {
  const text = new TextEncoder();
  if (typeof value === 'bigint') return { name, type: 2, i: int64(value) };
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { name, type: 2, i: value } : { name, type: 1, f: value };
  }
  if (typeof value === 'string') return { name, type: 3, s: text.encode(value) };
  if (value instanceof Tensor) return { name, type: 4, t: tensorProto('', value) };
  if ('float' in value) return { name, type: 1, f: value.float };
  if ('floats' in value) return { name, type: 6, floats: [...value.floats] };
  if ('graph' in value) return { name, type: 5, g: graphProto(value.graph) };
  if ('ref' in value) return { name, type: value.type, refAttrName: value.ref };
  const list = [...value];
  if (list.every((entry) => typeof entry === 'string')) {
    return { name, type: 8, strings: list.map((entry) => text.encode(entry)) };
  }
  if (list.every((entry) => Number.isInteger(Number(entry)))) {
    return { name, type: 7, ints: list.map((entry) => int64(BigInt(entry))) };
  }
  return { name, type: 6, floats: list.map(Number) };
}

/** protobufjs writes every 64-bit integer exactly when it is given as two halves. */
function int64(value: bigint): Long {
  const low = Number(BigInt.asIntN(32, value));
  const high = Number(BigInt.asIntN(32, value >> 32n));
  return { low, high, unsigned: false } as Long;
}

type Long = Exclude<onnx.IAttributeProto['i'], number | null | undefined>;
