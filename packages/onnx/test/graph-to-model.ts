/**
 * Writes a graph back as ONNX with everything that fusion put behind a node spelled out in plain operators, so that
 * another runtime can run it and the passes can be checked without our kernels.
 */
import type { Activation } from '@onegpu/kernels';
import type { AttributeValue, Graph, GraphNode } from '../src/graph.ts';
import { Tensor } from '../src/tensor.ts';
import { type AttributeDescription, buildModel, type NodeDescription } from './model-builder.ts';

/** @param outputs float32 values to give out; the graph's own outputs when absent */
export function graphToModel(graph: Graph, outputs?: readonly string[]): Uint8Array {
  const writer = new GraphWriter(graph);
  for (const node of graph.nodes) writer.write(node);
  return buildModel({
    opset: graph.opset,
    inputs: Object.fromEntries(
      graph.inputs.map(({ name, type, dims }) => [name, dims === undefined ? { type } : { type, dims }]),
    ),
    outputs: outputs ?? graph.outputs.map((output) => output.name),
    nodes: writer.nodes,
    initializers: Object.fromEntries([...graph.constants, ...writer.constants]),
  });
}

class GraphWriter {
  readonly nodes: NodeDescription[] = [];
  readonly constants = new Map<string, Tensor>();
  readonly #graph: Graph;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  write(node: GraphNode): void {
    const { residual, activation } = node.epilogue;
    const [output = '', ...others] = node.outputs;
    const last = (steps: readonly unknown[], name: string): string => (steps.length === 0 ? output : name);
    const own = residual === '' ? last(activation, `${output}/own`) : `${output}/own`;
    let value = node.inputs[0] ?? '';
    if (node.domain !== 'onegpu') {
      this.nodes.push({
        op: node.opType,
        domain: node.domain,
        inputs: node.inputs,
        outputs: [own, ...others],
        attributes: Object.fromEntries(
          [...node.attributes].map(([name, attribute]) => [name, describeAttribute(attribute)]),
        ),
      });
      value = own;
    }
    if (residual !== '') value = this.#add('Add', [value, residual], last(activation, `${output}/sum`));
    activation.forEach((step, index) => {
      value = this.#step(step, value, last(activation.slice(index + 1), `${output}/step${index}`));
    });
  }

  #add(
    op: string,
    inputs: readonly string[],
    output: string,
    attributes: Readonly<Record<string, AttributeDescription>> = {},
  ): string {
    this.nodes.push({ op, inputs, outputs: [output], attributes });
    return output;
  }

  #step(step: Activation, x: string, y: string): string {
    switch (step.kind) {
      case 'relu':
        return this.#add('Relu', [x], y);
      case 'sigmoid':
        return this.#add('Sigmoid', [x], y);
      case 'hard-sigmoid':
        return this.#hardSigmoid(x, y, step);
      case 'hard-swish':
        return this.#add('Mul', [x, this.#hardSigmoid(x, `${y}/gate`, { alpha: 1 / 6, beta: 0.5 })], y);
      case 'affine': {
        const scaled = this.#add('Mul', [x, this.#scalar(step.scale)], `${y}/scaled`);
        return this.#add('Add', [scaled, this.#scalar(step.shift)], y);
      }
      default:
        throw new Error(`the test does not write ${step.kind} yet (graph ${this.#graph.name})`);
    }
  }

  #hardSigmoid(x: string, y: string, { alpha, beta }: { alpha: number; beta: number }): string {
    return this.#add('HardSigmoid', [x], y, { alpha: { float: alpha }, beta: { float: beta } });
  }

  #scalar(value: number): string {
    const name = `scalar/${value}`;
    this.constants.set(name, new Tensor('float32', [value], []));
    return name;
  }
}

function describeAttribute(attribute: AttributeValue): AttributeDescription {
  switch (attribute.kind) {
    case 'float':
      return { float: attribute.value };
    case 'floats':
      return { floats: attribute.value };
    case 'activation':
    case 'unsupported':
      throw new Error(`an attribute of kind ${attribute.kind} cannot be written`);
    default:
      return attribute.value;
  }
}
