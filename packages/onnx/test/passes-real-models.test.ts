/**
 * The passes on the networks the project runs: what remains, and that onnxruntime computes the same from the
 * rewritten graph, written back as ONNX, as from the model.
 */
import { modelBytes, ortCpu, type PeerTensor, seededInput, type TestModelName } from '@onegpu/test-models';
import { describe, expect, it } from 'vitest';
import type { Graph } from '../src/graph.ts';
import { importModel } from '../src/import.ts';
import { optimizeGraph, type ShapeProbe } from '../src/passes/index.ts';
import { decodeModel } from '../src/proto/decode-model.ts';
import { graphToModel } from './graph-to-model.ts';

interface Row {
  readonly name: TestModelName;
  readonly dims: readonly number[];
  /** Dims for a second probe and a second comparison. */
  readonly otherDims: readonly number[];
  /** Operators that remain. */
  readonly operators: Readonly<Record<string, number>>;
  /** Sums that became residuals. */
  readonly residuals: number;
}

const ROWS: readonly Row[] = [
  {
    name: 'ocr-det',
    dims: [1, 3, 64, 96],
    otherDims: [2, 3, 128, 32],
    operators: { Conv: 61, ConvTranspose: 2, GlobalAveragePool: 10, Mul: 10, Resize: 6, Concat: 1 },
    residuals: 3,
  },
  {
    name: 'ocr-cls',
    dims: [1, 3, 48, 192],
    otherDims: [2, 3, 48, 96],
    operators: {
      ...{ Conv: 52, GlobalAveragePool: 10, Mul: 9, MaxPool: 1, Gemm: 1, Softmax: 1 },
      ...{ Shape: 1, Cast: 3, Slice: 1, Concat: 1, Reshape: 1 },
    },
    residuals: 7,
  },
  {
    name: 'mobilenet_v3_small',
    dims: [1, 3, 64, 96],
    otherDims: [2, 3, 96, 32],
    operators: { Conv: 51, GlobalAveragePool: 10, Mul: 9, Gemm: 2, Flatten: 1 },
    residuals: 6,
  },
  {
    name: 'mobilenet_v3_small_dynamo',
    dims: [1, 3, 64, 96],
    otherDims: [1, 3, 96, 32],
    operators: { Conv: 51, GlobalAveragePool: 10, Mul: 9, Gemm: 2, Reshape: 1 },
    residuals: 6,
  },
  {
    name: 'resnet18_dynamo',
    dims: [1, 3, 64, 96],
    otherDims: [1, 3, 96, 32],
    operators: { Conv: 20, MaxPool: 1, GlobalAveragePool: 1, Gemm: 1, Reshape: 1 },
    residuals: 8,
  },
  {
    name: 'dbnet_r18',
    dims: [1, 3, 64, 96],
    otherDims: [2, 3, 96, 32],
    operators: { Conv: 29, ConvTranspose: 2, Resize: 6, MaxPool: 1, Concat: 1 },
    residuals: 11,
  },
];

/** What a whole model may differ by, scaled, when the order of roundings changes; see docs/numerics.md. */
const WHOLE_MODEL = 2e-5;

async function importGraph(name: TestModelName): Promise<Graph> {
  const imported = importModel(decodeModel(await modelBytes(name))).graph;
  // All these networks take any picture size, whatever extents the exporter wrote down.
  const inputs = imported.inputs.map((input) => ({ ...input, dims: ['N', 3, 'H', 'W'] }));
  const graph = { ...imported, inputs };
  // Behind a sigmoid a text map of noise is all zeros: compare what goes in.
  const last = graph.nodes.at(-1);
  if (last?.opType !== 'Sigmoid') return graph;
  const outputs = graph.outputs.map((output) => ({ ...output, name: last.inputs[0] ?? '' }));
  return { ...graph, nodes: graph.nodes.slice(0, -1), outputs };
}

function feed(graph: Graph, dims: readonly number[]): Record<string, PeerTensor> {
  const [input] = graph.inputs;
  return { [input?.name ?? '']: { type: 'float32', dims, data: seededInput(dims, 1) } };
}

/** The dims that onnxruntime finds for the operands of every sum and product. */
async function probe(graph: Graph, dims: readonly number[]): Promise<ShapeProbe> {
  const operands = graph.nodes.filter(({ opType }) => ['Add', 'MatMul'].includes(opType));
  const values = new Set(
    operands.flatMap((node) => node.inputs).filter((name) => !graph.constants.has(name)),
  );
  const found = await ortCpu(graphToModel(graph, [...values]), feed(graph, dims), {
    optimization: 'disabled',
  });
  return (value) => {
    const tensor = found[value];
    return tensor === undefined ? undefined : { type: 'float32', dims: tensor.dims };
  };
}

function countOperators(graph: Graph): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { opType } of graph.nodes) counts[opType] = (counts[opType] ?? 0) + 1;
  return counts;
}

function scaledError(actual: PeerTensor | undefined, expected: PeerTensor | undefined): number {
  if (actual === undefined || expected === undefined) throw new Error('an output is missing');
  expect(actual.dims).toEqual(expected.dims);
  let worst = 0;
  let largest = 0;
  for (let i = 0; i < expected.data.length; i++) {
    worst = Math.max(worst, Math.abs(Number(actual.data[i]) - Number(expected.data[i])));
    largest = Math.max(largest, Math.abs(Number(expected.data[i])));
  }
  expect(largest).toBeGreaterThan(0);
  return worst / largest;
}

describe('the passes on real models', () => {
  it.each(ROWS)('$name', async ({ name, dims, otherDims, operators, residuals }) => {
    const graph = await importGraph(name);
    const [output] = graph.outputs;
    const probes = [await probe(graph, dims), await probe(graph, otherDims)];
    const model = graphToModel(graph);
    const nodesBefore = new Set(graph.nodes.map((node) => node.name));
    const report = optimizeGraph(graph, { probes });
    expect(countOperators(graph)).toEqual(operators);
    expect(graph.nodes.filter((node) => node.epilogue.residual !== '')).toHaveLength(residuals);
    expect(report.nodesAfter).toBe(graph.nodes.length);
    for (const node of graph.nodes) {
      for (const covered of node.covers) expect(nodesBefore.has(covered), covered).toBe(true);
    }
    for (const size of [dims, otherDims]) {
      const options = { optimization: 'disabled' } as const;
      const expected = await ortCpu(model, feed(graph, size), options);
      const actual = await ortCpu(graphToModel(graph), feed(graph, size), options);
      const name = output?.name ?? '';
      expect(scaledError(actual[name], expected[name])).toBeLessThanOrEqual(WHOLE_MODEL);
    }
  });
});
