/** Builds small graphs for tests of passes: float32 values, constants by name, nodes in the order given. */
import type { AttributeValue, Dimension, Graph, GraphNode } from '../src/graph.ts';
import { EMPTY_EPILOGUE } from '../src/graph.ts';
import type { ShapeProbe } from '../src/passes/index.ts';
import { Tensor, type TensorType } from '../src/tensor.ts';

type AttributeInput = number | string | readonly number[] | AttributeValue;

export class GraphBuilder {
  readonly #nodes: GraphNode[] = [];
  readonly #constants = new Map<string, Tensor>();
  readonly #inputs: Graph['inputs'][number][] = [];

  /** A graph input; its dims may hold symbols. */
  input(name: string, dims?: readonly Dimension[], type: TensorType = 'float32'): string {
    this.#inputs.push({ name, type, dims });
    return name;
  }

  /** A float32 constant; without dims a scalar of rank 0 for one value, else [n]. */
  floats(name: string, values: readonly number[], dims?: readonly number[]): string {
    const shape = dims ?? (values.length === 1 ? [] : [values.length]);
    this.#constants.set(name, new Tensor('float32', values, shape));
    return name;
  }

  integers(name: string, values: readonly number[]): string {
    this.#constants.set(name, new Tensor('int64', values.map(BigInt)));
    return name;
  }

  /** Adds a node named after its output; numbers are int attributes, `{ kind: 'float', ... }` floats. */
  node(
    opType: string,
    inputs: readonly string[],
    output: string,
    attributes: Readonly<Record<string, AttributeInput>> = {},
  ): string {
    this.#nodes.push({
      name: `node-${output}`,
      opType,
      domain: '',
      inputs,
      outputs: [output],
      attributes: new Map(Object.entries(attributes).map(([name, value]) => [name, attributeOf(value)])),
      epilogue: EMPTY_EPILOGUE,
      covers: [`node-${output}`],
    });
    return output;
  }

  /** A 1x1 Conv of `x` from `ic` to `oc` channels with small integer weights; bias where asked for. */
  conv(x: string, output: string, options: { ic?: number; oc?: number; bias?: boolean } = {}): string {
    const { ic = 2, oc = 2, bias = true } = options;
    const weights = Array.from({ length: ic * oc }, (_, i) => (i % 5) - 2);
    const inputs = [x, this.floats(`${output}.w`, weights, [oc, ic, 1, 1])];
    if (bias) {
      const values = Array.from({ length: oc }, (_, i) => i + 1);
      inputs.push(this.floats(`${output}.b`, values, [oc]));
    }
    return this.node('Conv', inputs, output, { kernel_shape: [1, 1] });
  }

  /** BatchNormalization of `channels` channels whose scale and shift are exact: variance 4^c, epsilon 0. */
  batchNorm(x: string, output: string, channels: number): string {
    const each = (value: (c: number) => number): number[] =>
      Array.from({ length: channels }, (_, c) => value(c));
    const inputs = [
      x,
      this.floats(
        `${output}.gamma`,
        each((c) => 4 + c),
        [channels],
      ),
      this.floats(
        `${output}.beta`,
        each((c) => c - 1),
        [channels],
      ),
      this.floats(
        `${output}.mean`,
        each((c) => 2 * c),
        [channels],
      ),
      this.floats(
        `${output}.variance`,
        each((c) => 4 ** (c % 3)),
        [channels],
      ),
    ];
    return this.node('BatchNormalization', inputs, output, { epsilon: { kind: 'float', value: 0 } });
  }

  build(...outputs: readonly string[]): Graph {
    return {
      name: 'test',
      opset: 17,
      inputs: this.#inputs,
      outputs: outputs.map((name) => ({ name, type: 'float32', dims: undefined })),
      nodes: this.#nodes,
      constants: this.#constants,
    };
  }
}

/** A probe that knows the dims given and nothing else. */
export function probeOf(dims: Readonly<Record<string, readonly number[]>>): ShapeProbe {
  return (value) => {
    const known = dims[value];
    return known === undefined ? undefined : { type: 'float32', dims: known };
  };
}

/** One line a node: operator and what is fused behind it, e.g. `Conv+residual+relu`. */
export function outline(graph: Graph): string[] {
  return graph.nodes.map(({ opType, epilogue }) =>
    [
      opType,
      ...(epilogue.residual === '' ? [] : ['residual']),
      ...epilogue.activation.map((step) => step.kind),
    ].join('+'),
  );
}

/** Throws when a node reads a value that no earlier node, input or constant makes. */
export function assertTopological(graph: Graph): void {
  const made = new Set([...graph.inputs.map((input) => input.name), ...graph.constants.keys()]);
  for (const node of graph.nodes) {
    for (const value of [...node.inputs, node.epilogue.residual]) {
      if (value !== '' && !made.has(value)) throw new Error(`${node.name} reads ${value} before it is made`);
    }
    for (const value of node.outputs) made.add(value);
  }
  for (const output of graph.outputs) {
    if (!made.has(output.name)) throw new Error(`nothing makes the graph output ${output.name}`);
  }
}

function attributeOf(value: AttributeInput): AttributeValue {
  if (typeof value === 'number') return { kind: 'int', value: BigInt(value) };
  if (typeof value === 'string') return { kind: 'string', value };
  if ('kind' in value) return value;
  return { kind: 'ints', value: value.map(BigInt) };
}
