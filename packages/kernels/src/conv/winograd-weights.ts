/** Filters of Winograd's convolution, transformed in float64 at load and laid in the tiles of the batched product. */
import { type OperandArray, type OperandPacking, type PackingMemory, sameKind } from '@onegpu/core';
import type { GemmTile } from './gemm-tile.ts';
import type { ConvProblem } from './problem.ts';
import { TILE_PRODUCTS, transformFilter } from './winograd-transforms.ts';

/** Elements of `weights` as packed: [36][tiles of oc][k padded to tiles][tileN], k the input channels. */
export function transformedLength({ ic, oc }: ConvProblem, { tileK, tileN }: GemmTile): number {
  return TILE_PRODUCTS * Math.ceil(oc / tileN) * tileN * Math.ceil(ic / tileK) * tileK;
}

export function winogradPacking(problem: ConvProblem, tile: GemmTile): OperandPacking {
  const { ic, oc } = problem;
  const { tileK, tileN } = tile;
  return {
    operand: 'weights',
    key: `conv/winograd-4x4/${tileK}x${tileN}/${oc}x${ic}`,
    pack: <T extends OperandArray>(source: T, memory: PackingMemory = sameKind): T => {
      if (!(source instanceof Float32Array)) throw new RangeError('transforms weights of float32 alone');
      const packed = memory(source, transformedLength(problem, tile));
      transformFilters(source, packed, problem, tile);
      return packed;
    },
  };
}

/** In the order of the target: 36 streams written along the output channels of a tile. */
function transformFilters(
  source: OperandArray,
  target: OperandArray,
  { ic, oc }: ConvProblem,
  { tileK, tileN }: GemmTile,
): void {
  const products = new Float64Array(TILE_PRODUCTS);
  const rows = Math.ceil(ic / tileK) * tileK;
  const matrix = Math.ceil(oc / tileN) * tileN * rows;
  for (let first = 0; first < oc; first += tileN) {
    const end = Math.min(oc, first + tileN);
    for (let channel = 0; channel < ic; channel++) {
      const place = first * rows + channel * tileN - first;
      for (let filter = first; filter < end; filter++) {
        transformFilter(source, (filter * ic + channel) * 9, products);
        for (let product = 0; product < TILE_PRODUCTS; product++) {
          target[product * matrix + place + filter] = products[product] as number;
        }
      }
    }
  }
}
