/**
 * Graph to the bytes of a model, for graphs as they are imported: without fusions, of operators that ONNX has.
 * https://github.com/onnx/onnx/blob/main/docs/IR.md
 */
import type { AttributeValue, Graph, GraphNode, GraphValue } from '../graph.ts';
import { dataTypeOf } from './element-type.ts';
import { type Encodable, encodeMessage } from './encode-message.ts';
import { tensorProto } from './encode-tensor.ts';
import type { AttributeProto, ModelProto, NodeProto, ValueInfoProto } from './messages.ts';

/** IR versions 8 and below are what every runtime of today reads. */
const IR_VERSION = 8;

/** ONNX's AttributeProto.AttributeType. */
const ATTRIBUTE_TYPES = { float: 1, int: 2, string: 3, tensor: 4, floats: 6, ints: 7, strings: 8 } as const;

/** @throws Error for nodes with a fused epilogue and attributes of kinds that are not read. */
export function encodeModel(graph: Graph): Uint8Array {
  const domains = [...new Set(graph.nodes.map((node) => node.domain))].filter((domain) => domain !== '');
  const model: Encodable<ModelProto> = {
    irVersion: IR_VERSION,
    producerName: 'onegpu',
    opsetImport: [{ domain: '', version: graph.opset }, ...domains.map((domain) => ({ domain, version: 1 }))],
    graph: {
      name: graph.name === '' ? 'graph' : graph.name,
      node: graph.nodes.map(nodeProto),
      input: graph.inputs.map(valueProto),
      output: graph.outputs.map(valueProto),
      initializer: [...graph.constants].map(([name, tensor]) => tensorProto(name, tensor)),
    },
  };
  return encodeMessage(model, 'ModelProto');
}

function nodeProto(node: GraphNode): Encodable<NodeProto> {
  if (node.epilogue.residual !== '' || node.epilogue.activation.length > 0) {
    throw new Error(`${node.opType} "${node.name}" has a fused epilogue, which no model can say`);
  }
  return {
    name: node.name,
    opType: node.opType,
    domain: node.domain,
    input: [...node.inputs],
    output: [...node.outputs],
    attribute: [...node.attributes].map(([name, value]) => attributeProto(name, value)),
  };
}

function attributeProto(name: string, attribute: AttributeValue): Encodable<AttributeProto> {
  const encoder = new TextEncoder();
  switch (attribute.kind) {
    case 'float':
      return { name, type: ATTRIBUTE_TYPES.float, f: attribute.value };
    case 'int':
      return { name, type: ATTRIBUTE_TYPES.int, i: attribute.value };
    case 'string':
      return { name, type: ATTRIBUTE_TYPES.string, s: encoder.encode(attribute.value) };
    case 'tensor':
      return { name, type: ATTRIBUTE_TYPES.tensor, t: tensorProto('', attribute.value) };
    case 'floats':
      return { name, type: ATTRIBUTE_TYPES.floats, floats: [...attribute.value] };
    case 'ints':
      return { name, type: ATTRIBUTE_TYPES.ints, ints: attribute.value };
    case 'strings':
      return {
        name,
        type: ATTRIBUTE_TYPES.strings,
        strings: attribute.value.map((text) => encoder.encode(text)),
      };
    case 'activation':
      throw new Error(`attribute "${name}" is fusion's own and cannot be written`);
    case 'unsupported':
      throw new Error(`attribute "${name}" of kind ${attribute.value} cannot be written`);
  }
}

function valueProto({ name, type, dims }: GraphValue): Encodable<ValueInfoProto> {
  const elemType = dataTypeOf(type);
  const dim = dims?.map((extent) =>
    typeof extent === 'string' ? { dimParam: extent } : { dimValue: extent },
  );
  return { name, type: { tensorType: dim === undefined ? { elemType } : { elemType, shape: { dim } } } };
}
