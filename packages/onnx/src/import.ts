/**
 * ModelProto to Graph: initializers and Constant nodes become constants, local functions are inlined, every node gets
 * a name of its own, nodes are sorted, and every name must be made once before it is read. What a model may say but
 * we do not run is collected, not thrown, so that one error can list all of it.
 * https://github.com/onnx/onnx/blob/main/docs/IR.md
 */
import { InvalidModelError, type UnsupportedNode } from '@onegpu/core';
import { type AttributeValue, EMPTY_EPILOGUE, type Graph, type GraphNode, type GraphValue } from './graph.ts';
import { importAttributes } from './import-attributes.ts';
import { importValue, refuseValue } from './import-values.ts';
import { inlineFunctions, isDefaultDomain, qualifiedName, type RefusedCall } from './inline-functions.ts';
import { dropUnreadOutputs } from './optional-outputs.ts';
import type { ExternalFiles } from './proto/external-data.ts';
import type { GraphProto, ModelProto, NodeProto, ValueInfoProto } from './proto/messages.ts';
import { readTensor, refuseTensor } from './proto/tensor-proto.ts';
import { Tensor } from './tensor.ts';
import { sortTopologically } from './topological-sort.ts';

export interface ImportOptions {
  /** Finds the bytes of files beside the model. */
  readonly externalFiles?: ExternalFiles;
}

export interface ModelMetadata {
  /** Name and version of the tool that wrote the model. */
  readonly producer: string;
  readonly irVersion: number;
  /** Version of each operator set; the default domain is `''`. */
  readonly opsets: Readonly<Record<string, number>>;
}

export interface ImportedModel {
  readonly graph: Graph;
  readonly metadata: ModelMetadata;
  /** Inputs, initializers, functions and attributes that cannot be represented. */
  readonly unsupported: readonly UnsupportedNode[];
}

/** @throws InvalidModelError saying which node, value or tensor is wrong. */
export function importModel(model: ModelProto, options: ImportOptions = {}): ImportedModel {
  if (!model.graph)
    throw new InvalidModelError('the model has no graph', { subject: 'model', field: 'graph' });
  return new Importer(model, model.graph, options.externalFiles).import();
}

class Importer {
  readonly #model: ModelProto;
  readonly #proto: GraphProto;
  readonly #files: ExternalFiles | undefined;
  readonly #constants = new Map<string, Tensor>();
  readonly #unsupported: UnsupportedNode[] = [];
  /** Who makes each value, for messages. */
  readonly #makers = new Map<string, string>();

  constructor(model: ModelProto, proto: GraphProto, files: ExternalFiles | undefined) {
    this.#model = model;
    this.#proto = proto;
    this.#files = files;
  }

  import(): ImportedModel {
    const opset = readOpset(this.#model, this.#proto);
    this.#initializers();
    const inputs = this.#inputs();
    const named = nameNodes(this.#proto.node);
    const inlined = inlineFunctions(this.#model, named, opset);
    const nodes = inlined.nodes.flatMap((node) => this.#node(node));
    for (const refused of inlined.refused) this.#refusedCall(refused);
    this.#checkReads(nodes);
    const outputs = this.#outputs();
    const graph: Graph = {
      name: this.#proto.name,
      opset,
      inputs,
      outputs,
      nodes: sortTopologically(dropUnreadOutputs(nodes, outputs)),
      constants: this.#constants,
    };
    return { graph, metadata: readMetadata(this.#model), unsupported: this.#unsupported };
  }

  #initializers(): void {
    for (const tensor of this.#proto.initializer) {
      this.#make(tensor.name, 'an initializer');
      const reason = refuseTensor(tensor);
      if (reason === undefined) this.#constants.set(tensor.name, readTensor(tensor, this.#files));
      else this.#unsupported.push({ node: tensor.name, operator: 'initializer', reason });
    }
    for (const sparse of this.#proto.sparseInitializer) {
      const name = (sparse as { values?: { name?: string } }).values?.name ?? '';
      this.#make(name, 'a sparse initializer');
      const reason = 'sparse initializers are not supported';
      this.#unsupported.push({ node: name, operator: 'initializer', reason });
    }
  }

  /** Inputs without an initializer; an initializer is the default of its input, and the only value it can have. */
  #inputs(): readonly GraphValue[] {
    const inputs: GraphValue[] = [];
    const seen = new Set<string>();
    for (const value of this.#proto.input) {
      if (seen.has(value.name)) throw this.#duplicate(value.name, 'a graph input', 'a graph input');
      seen.add(value.name);
      if (this.#makers.has(value.name)) continue;
      this.#make(value.name, 'a graph input');
      if (!this.#refusedValue(value, 'input')) inputs.push(importValue(value));
    }
    return inputs;
  }

  #outputs(): readonly GraphValue[] {
    const seen = new Set<string>();
    return this.#proto.output.flatMap((value) => {
      if (seen.has(value.name)) throw this.#duplicate(value.name, 'a graph output', 'a graph output');
      seen.add(value.name);
      if (!this.#makers.has(value.name)) {
        throw new InvalidModelError('nothing makes this output', { subject: 'graph', field: value.name });
      }
      const declared = value.type && value.type.tensorType?.elemType !== 0;
      return declared && this.#refusedValue(value, 'output') ? [] : [importValue(value)];
    });
  }

  #refusedValue(value: ValueInfoProto, operator: string): boolean {
    const reason = refuseValue(value);
    if (reason !== undefined) this.#unsupported.push({ node: value.name, operator, reason });
    return reason !== undefined;
  }

  /** A node of the graph, or none for a Constant whose value was taken. */
  #node(proto: NodeProto): readonly GraphNode[] {
    const label = `${qualifiedName(proto)} "${proto.name}"`;
    if (proto.opType === '') throw new InvalidModelError('the node has no operator', { subject: label });
    const attributes = importAttributes(proto, label, this.#files);
    for (const output of proto.output) if (output !== '') this.#make(output, label);
    if (isDefaultDomain(proto.domain) && proto.opType === 'Constant') {
      const value = constantValue(attributes, label);
      const [output] = proto.output;
      if (value !== undefined && output !== undefined) {
        this.#constants.set(output, value);
        return [];
      }
    }
    return [
      {
        name: proto.name,
        opType: proto.opType,
        domain: isDefaultDomain(proto.domain) ? '' : proto.domain,
        inputs: [...proto.input],
        outputs: [...proto.output],
        attributes,
        epilogue: EMPTY_EPILOGUE,
        covers: [proto.name],
      },
    ];
  }

  #refusedCall({ node, reason }: RefusedCall): void {
    this.#unsupported.push({ node: node.name, operator: qualifiedName(node), reason });
    for (const output of node.output) if (output !== '') this.#make(output, node.name);
  }

  #make(name: string, maker: string): void {
    if (name === '') throw new InvalidModelError('a value has no name', { subject: maker });
    const other = this.#makers.get(name);
    if (other !== undefined) throw this.#duplicate(name, other, maker);
    this.#makers.set(name, maker);
  }

  #duplicate(name: string, first: string, second: string): InvalidModelError {
    return new InvalidModelError('a value is made twice', {
      subject: `value "${name}"`,
      got: `${first} and ${second}`,
      expected: 'one maker',
    });
  }

  #checkReads(nodes: readonly GraphNode[]): void {
    for (const node of nodes) {
      const missing = node.inputs.findIndex((input) => input !== '' && !this.#makers.has(input));
      if (missing < 0) continue;
      throw new InvalidModelError('nothing makes this input', {
        subject: `${qualifiedName(node)} "${node.name}"`,
        field: `inputs[${missing}]`,
        got: `"${node.inputs[missing]}"`,
        expected: 'a graph input, an initializer or the output of a node',
      });
    }
  }
}

/** The version of the default domain; models before IR version 3 name none and mean 1. */
function readOpset(model: ModelProto, graph: GraphProto): number {
  const entries = model.opsetImport.filter((entry) => isDefaultDomain(entry.domain));
  const versions = new Set(entries.map((entry) => Number(entry.version)));
  if (versions.size > 1) {
    throw new InvalidModelError('the default domain is imported twice', {
      subject: 'model',
      field: 'opset_import',
      got: [...versions].join(' and '),
    });
  }
  const [version] = versions;
  if (version !== undefined && version > 0) return version;
  if (model.irVersion < 3n) return 1;
  if (version === undefined && !graph.node.some((node) => isDefaultDomain(node.domain))) return 0;
  throw new InvalidModelError('the model names no operator set, or it is truncated', {
    subject: 'model',
    field: 'opset_import',
    got: version === undefined ? 'no entry for the default domain' : `version ${version}`,
  });
}

function readMetadata(model: ModelProto): ModelMetadata {
  const opsets = model.opsetImport.map(({ domain, version }) => [
    isDefaultDomain(domain) ? '' : domain,
    Number(version),
  ]);
  return {
    producer: [model.producerName, model.producerVersion].filter(Boolean).join(' '),
    irVersion: Number(model.irVersion),
    opsets: Object.fromEntries(opsets),
  };
}

/** Gives nodes without a name, and later ones of the same name, a name of their own. */
function nameNodes(nodes: readonly NodeProto[]): readonly NodeProto[] {
  const taken = new Set(nodes.map((node) => node.name));
  const used = new Set<string>();
  return nodes.map((node, index) => {
    if (node.name !== '' && !used.has(node.name)) {
      used.add(node.name);
      return node;
    }
    let name = `${node.name === '' ? node.opType : node.name}_${index}`;
    while (taken.has(name) || used.has(name)) name += "'";
    used.add(name);
    return Object.assign(Object.create(node), { name }) as NodeProto;
  });
}

/** The tensor of a Constant node; undefined where its only attribute is a kind we do not read. */
function constantValue(attributes: ReadonlyMap<string, AttributeValue>, label: string): Tensor | undefined {
  const [entry, ...more] = attributes.values();
  if (entry === undefined || more.length > 0) {
    throw new InvalidModelError('a Constant needs exactly one attribute', {
      subject: label,
      got: [...attributes.keys()].join(', ') || 'none',
    });
  }
  switch (entry.kind) {
    case 'tensor':
      return entry.value;
    case 'float':
      return new Tensor('float32', [entry.value], []);
    case 'floats':
      return new Tensor('float32', entry.value);
    case 'int':
      return new Tensor('int64', [entry.value], []);
    case 'ints':
      return new Tensor('int64', entry.value);
    case 'string':
      return new Tensor('string', [entry.value], []);
    case 'strings':
      return new Tensor('string', [...entry.value]);
    case 'activation':
    case 'unsupported':
      return undefined;
  }
}
