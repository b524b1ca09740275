/**
 * The parts of ONNX's messages that an import reads, as `decodeModel` returns them: names as protobufjs spells
 * them, 64-bit integers as bigint. Scalars and lists that a file leaves out have protobuf's defaults, messages are null.
 * https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 */

/** Messages that stand alone in a file. */
export interface FileMessages {
  readonly ModelProto: ModelProto;
  readonly TensorProto: TensorProto;
}

export interface ModelProto {
  readonly irVersion: bigint;
  readonly producerName: string;
  readonly producerVersion: string;
  readonly graph?: GraphProto | null;
  readonly opsetImport: readonly OperatorSetIdProto[];
  readonly functions: readonly FunctionProto[];
}

export interface OperatorSetIdProto {
  readonly domain: string;
  readonly version: bigint;
}

export interface GraphProto {
  readonly name: string;
  readonly node: readonly NodeProto[];
  readonly initializer: readonly TensorProto[];
  readonly sparseInitializer: readonly unknown[];
  readonly input: readonly ValueInfoProto[];
  readonly output: readonly ValueInfoProto[];
}

export interface NodeProto {
  readonly name: string;
  readonly opType: string;
  readonly domain: string;
  /** Chooses one of several functions of the same name; IR version 10 on. */
  readonly overload?: string;
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly attribute: readonly AttributeProto[];
}

export interface FunctionProto {
  readonly name: string;
  readonly domain: string;
  readonly overload?: string;
  readonly input: readonly string[];
  readonly output: readonly string[];
  /** Names of attributes without a default. */
  readonly attribute: readonly string[];
  /** Attributes with a default; IR version 9 on. */
  readonly attributeProto?: readonly AttributeProto[];
  readonly node: readonly NodeProto[];
  readonly opsetImport: readonly OperatorSetIdProto[];
}

export interface AttributeProto {
  readonly name: string;
  /** Inside a function: the value is the calling node's attribute of this name. */
  readonly refAttrName: string;
  readonly type: number;
  readonly f: number;
  readonly i: bigint;
  readonly s: Uint8Array;
  readonly t?: TensorProto | null;
  readonly floats: readonly number[];
  readonly ints: readonly bigint[];
  readonly strings: readonly Uint8Array[];
}

export interface TensorProto {
  readonly name: string;
  readonly dims: readonly bigint[];
  readonly dataType: number;
  readonly segment?: unknown;
  readonly docString: string;
  readonly floatData: readonly number[];
  readonly int32Data: readonly number[];
  readonly stringData: readonly Uint8Array[];
  readonly int64Data: readonly bigint[];
  readonly doubleData: readonly number[];
  readonly uint64Data: readonly bigint[];
  readonly rawData: Uint8Array;
  readonly externalData: readonly StringStringEntryProto[];
  /** 0: in this message, 1: in a file beside the model. */
  readonly dataLocation: number;
}

export interface StringStringEntryProto {
  readonly key: string;
  readonly value: string;
}

export interface ValueInfoProto {
  readonly name: string;
  readonly type?: TypeProto | null;
}

export interface TypeProto {
  readonly tensorType?: TensorTypeProto | null;
}

export interface TensorTypeProto {
  readonly elemType: number;
  readonly shape?: { readonly dim: readonly DimensionProto[] } | null;
}

export interface DimensionProto {
  /** Which of the two is set; undefined for an extent nobody named. */
  readonly value?: 'dimValue' | 'dimParam';
  readonly dimValue?: bigint | null;
  readonly dimParam?: string | null;
}
