/** A model of any size for tests of loading: matrix products one behind the other, its weights a small pattern. */
import { EMPTY_EPILOGUE, type GraphNode } from '../src/graph.ts';
import { encodeModel } from '../src/proto/encode-model.ts';
import { Tensor } from '../src/tensor.ts';

/** Features of every layer; its weights are that squared, 9.4 MB. */
export const LAYER_WIDTH = 1536;

/** Input `x` and output `y` of [1, LAYER_WIDTH]; about 9.4 MB a layer. */
export function largeModel(layers: number): Uint8Array {
  const last = layers - 1;
  const constants = new Map<string, Tensor>();
  const nodes = Array.from({ length: layers }, (_, layer): GraphNode => {
    constants.set(`w${layer}`, new Tensor('float32', weights(layer), [LAYER_WIDTH, LAYER_WIDTH]));
    constants.set(`b${layer}`, new Tensor('float32', new Float32Array(LAYER_WIDTH).fill(layer)));
    return {
      name: `layer${layer}`,
      opType: 'Gemm',
      domain: '',
      inputs: [layer === 0 ? 'x' : `h${layer - 1}`, `w${layer}`, `b${layer}`],
      outputs: [layer === last ? 'y' : `h${layer}`],
      attributes: new Map(),
      epilogue: EMPTY_EPILOGUE,
      covers: [`layer${layer}`],
    };
  });
  const value = (name: string) => ({ name, type: 'float32' as const, dims: [1, LAYER_WIDTH] });
  return encodeModel({
    name: 'large',
    opset: 17,
    inputs: [value('x')],
    outputs: [value('y')],
    nodes,
    constants,
  });
}

/** One in 64 elements is not zero, so that values stay small over many layers. */
function weights(layer: number): Float32Array {
  return new Float32Array(LAYER_WIDTH ** 2).map((_, index) =>
    (index * 7 + layer) % 64 === 0 ? ((index % 13) - 6) / 128 : 0,
  );
}
