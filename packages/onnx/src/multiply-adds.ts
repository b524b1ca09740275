/**
 * Multiply-adds of a graph for given extents: what convolutions and matrix products ask for, whatever the algorithm.
 * Element-wise work and pooling are not counted, as is usual.
 */
import { AttributeReader } from './attributes.ts';
import type { Graph, GraphNode } from './graph.ts';
import type { ValueInfo } from './op-definition.ts';
import { elementCount } from './tensor.ts';

type Values = ReadonlyMap<string, ValueInfo>;

/** Sum over all nodes; `values` from `inferShapes`. */
export function countMultiplyAdds(graph: Graph, values: Values): number {
  return graph.nodes.reduce((sum, node) => sum + nodeMultiplyAdds(node, values), 0);
}

/** 0 for operators that are neither convolution nor matrix product. */
export function nodeMultiplyAdds(node: GraphNode, values: Values): number {
  const src = dimsOf(node.inputs[0], values);
  const weights = dimsOf(node.inputs[1], values);
  const dst = dimsOf(node.outputs[0], values);
  switch (node.opType) {
    case 'Conv':
    case 'GatedConv':
    case 'PlanarConv':
    case 'UpsampleSumConv':
    case 'DeformConv':
      // Each output element sums over weights [oc, ic / groups, ...taps] without the first extent.
      return elementCount(dst) * elementCount(weights.slice(1));
    case 'ConvTranspose':
      // Each input element meets weights [ic, oc / groups, ...taps] without the first extent.
      return elementCount(src) * elementCount(weights.slice(1));
    case 'ConvTransposePair':
      // The second meets every pixel and channel that the first makes.
      return (
        elementCount(src) * elementCount(weights.slice(1)) +
        ((elementCount(src) / (src[1] || 1)) *
          elementCount(weights.slice(1)) *
          elementCount(dimsOf(node.inputs[3], values))) /
          (weights[1] || 1)
      );
    case 'Gemm':
      return elementCount(dst) * (src[transposed(node) ? 0 : 1] ?? 0);
    case 'MatMul':
      return elementCount(dst) * (src.at(-1) ?? 0);
    case 'ShortcutConv':
      return (
        elementCount(dst) *
        (elementCount(weights.slice(1)) + elementCount(dimsOf(node.inputs[4], values).slice(1)))
      );
    case 'ConvInteger':
      return elementCount(dst) * elementCount(weights.slice(1));
    case 'QLinearConv':
      return elementCount(dst) * elementCount(dimsOf(node.inputs[3], values).slice(1));
    case 'MatMulInteger':
    case 'QLinearMatMul':
      return elementCount(dst) * (src.at(-1) ?? 0);
    case 'ExpandDepthwise':
    case 'MapExcite':
      // Source pixels times the expansion's weights, then the taps of each output.
      return (
        (elementCount(src) / (src[1] || 1)) * elementCount(weights) +
        elementCount(dst) * elementCount(dimsOf(node.inputs[3], values).slice(1)) +
        // The two products of a squeeze-excite, where there are any.
        [5, 7].reduce((sum, input) => sum + (dst[0] ?? 0) * matrixElements(node.inputs[input], values), 0)
      );
    case 'SqueezeExcite':
      return (dst[0] ?? 0) * (elementCount(weights) + elementCount(dimsOf(node.inputs[3], values)));
    default:
      return 0;
  }
}

function dimsOf(name: string | undefined, values: Values): readonly number[] {
  return values.get(name ?? '')?.dims ?? [];
}

function matrixElements(name: string | undefined, values: Values): number {
  return name === undefined ? 0 : elementCount(dimsOf(name, values));
}

function transposed(node: GraphNode): boolean {
  return new AttributeReader(node).int('transA', 0) !== 0;
}
