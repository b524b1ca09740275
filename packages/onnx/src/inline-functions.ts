/**
 * Replaces calls of a model's local functions by the functions' nodes, so that the graph holds operators only.
 * https://github.com/onnx/onnx/blob/main/docs/IR.md#functions
 */
import type { AttributeProto, FunctionProto, ModelProto, NodeProto } from './proto/messages.ts';

export interface RefusedCall {
  readonly node: NodeProto;
  readonly reason: string;
}

export interface InlinedNodes {
  readonly nodes: readonly NodeProto[];
  /** Calls of functions that cannot be inlined. */
  readonly refused: readonly RefusedCall[];
}

/** Functions may call functions; deeper than this they call themselves. */
const MAX_DEPTH = 32;

/** `nodes` must have names already; `opset` is the graph's version of the default domain. */
export function inlineFunctions(model: ModelProto, nodes: readonly NodeProto[], opset: number): InlinedNodes {
  if (model.functions.length === 0) return { nodes, refused: [] };
  const inliner = new Inliner(model, nodes, opset);
  inliner.expand(nodes, 0);
  return { nodes: inliner.nodes, refused: inliner.refused };
}

class Inliner {
  readonly nodes: NodeProto[] = [];
  readonly refused: RefusedCall[] = [];
  readonly #functions: ReadonlyMap<string, FunctionProto>;
  readonly #values: Set<string>;
  readonly #opset: number;

  constructor(model: ModelProto, nodes: readonly NodeProto[], opset: number) {
    this.#functions = new Map(
      model.functions.map((entry) => [keyOf(entry.domain, entry.name, entry), entry]),
    );
    const graph = model.graph;
    const names = [...(graph?.input ?? []), ...(graph?.initializer ?? [])].map((value) => value.name);
    this.#values = new Set([...names, ...nodes.flatMap((node) => [...node.input, ...node.output])]);
    this.#opset = opset;
  }

  expand(nodes: readonly NodeProto[], depth: number): void {
    for (const node of nodes) {
      const called = this.#functions.get(keyOf(node.domain, node.opType, node));
      if (called === undefined) {
        this.nodes.push(node);
        continue;
      }
      const reason = this.#refuse(called, depth);
      if (reason === undefined) this.expand(this.#body(node, called), depth + 1);
      else this.refused.push({ node, reason });
    }
  }

  #refuse(called: FunctionProto, depth: number): string | undefined {
    if (depth >= MAX_DEPTH) return `the function "${called.name}" calls itself`;
    const own = called.opsetImport.find((entry) => isDefaultDomain(entry.domain));
    const version = own === undefined ? this.#opset : Number(own.version);
    if (version === this.#opset) return undefined;
    return `the function "${called.name}" uses opset ${version}, the model ${this.#opset}`;
  }

  /** The function's nodes with actual names in place of its own, and Identity nodes for inputs it hands through. */
  #body(call: NodeProto, called: FunctionProto): readonly NodeProto[] {
    const names = new Map<string, string>([['', '']]);
    called.input.forEach((formal, index) => {
      names.set(formal, call.input[index] ?? '');
    });
    const made = new Set(called.node.flatMap((node) => [...node.output]));
    const through: NodeProto[] = [];
    called.output.forEach((formal, index) => {
      const actual = call.output[index] ?? '';
      if (actual === '') return;
      if (made.has(formal)) names.set(formal, actual);
      else through.push(identity(`${call.name}/Identity_${index}`, names.get(formal) ?? formal, actual));
    });
    const nameOf = (value: string): string => {
      const known = names.get(value);
      if (known !== undefined) return known;
      const fresh = this.#freshName(`${call.name}/${value}`);
      names.set(value, fresh);
      return fresh;
    };
    const body = called.node.map((node, index) => ({
      name: `${call.name}/${node.name === '' ? `${node.opType}_${index}` : node.name}`,
      opType: node.opType,
      domain: node.domain,
      ...(node.overload === undefined ? {} : { overload: node.overload }),
      input: node.input.map(nameOf),
      output: node.output.map(nameOf),
      attribute: node.attribute.flatMap((attribute) => resolveReference(attribute, call, called)),
    }));
    return [...body, ...through];
  }

  #freshName(wanted: string): string {
    let name = wanted;
    while (this.#values.has(name)) name += "'";
    this.#values.add(name);
    return name;
  }
}

/** An attribute of a body node: its own value, the call's, the function's default, or none. */
function resolveReference(
  attribute: AttributeProto,
  call: NodeProto,
  called: FunctionProto,
): readonly AttributeProto[] {
  if (attribute.refAttrName === '') return [attribute];
  const matches = (entry: AttributeProto): boolean => entry.name === attribute.refAttrName;
  const source = call.attribute.find(matches) ?? called.attributeProto?.find(matches);
  if (source === undefined) return [];
  return [Object.assign(Object.create(source), { name: attribute.name, refAttrName: '' }) as AttributeProto];
}

function identity(name: string, input: string, output: string): NodeProto {
  return { name, opType: 'Identity', domain: '', input: [input], output: [output], attribute: [] };
}

function keyOf(domain: string, name: string, { overload = '' }: { readonly overload?: string }): string {
  return `${isDefaultDomain(domain) ? '' : domain}\0${name}\0${overload}`;
}

/** `ai.onnx` is the default domain spelled out. */
export function isDefaultDomain(domain: string): boolean {
  return domain === '' || domain === 'ai.onnx';
}

/** `Conv`, or `com.example.Thing` outside the default domain. */
export function qualifiedName(node: { readonly domain: string; readonly opType: string }): string {
  return isDefaultDomain(node.domain) ? node.opType : `${node.domain}.${node.opType}`;
}
