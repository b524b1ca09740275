/** Filters of Winograd's convolution, transformed in float64 at load and laid in the tiles of the batched product. */
import { type OperandArray, type OperandPacking, type PackingMemory, sameKind } from '@onegpu/core';
import type { GemmTile } from './gemm-tile.ts';
import type { ConvProblem } from './problem.ts';
import type { WinogradVariant } from './winograd-transforms.ts';

/** Elements of `weights` as packed: [products][tiles of oc][k padded to tiles][tileN], k the input channels. */
export function transformedLength(
  { ic, oc }: ConvProblem,
  { products }: WinogradVariant,
  { tileK, tileN }: GemmTile,
): number {
  return products * Math.ceil(oc / tileN) * tileN * Math.ceil(ic / tileK) * tileK;
}

export function winogradPacking(
  problem: ConvProblem,
  variant: WinogradVariant,
  tile: GemmTile,
): OperandPacking {
  const { ic, oc } = problem;
  const { outputs } = variant;
  const { tileK, tileN } = tile;
  return {
    operand: 'weights',
    key: `conv/winograd-${outputs}x${outputs}/${tileK}x${tileN}/${oc}x${ic}`,
    elements: transformedLength(problem, variant, tile),
    pack: <T extends OperandArray>(source: T, memory: PackingMemory = sameKind): T => {
      if (!(source instanceof Float32Array)) throw new RangeError('transforms weights of float32 alone');
      const packed = memory(source, transformedLength(problem, variant, tile));
      transformFilters(source, packed as Float32Array, { problem, variant, tile });
      return packed;
    },
  };
}

interface Packed {
  readonly problem: ConvProblem;
  readonly variant: WinogradVariant;
  readonly tile: GemmTile;
}

/**
 * The filters of a tile for one channel at a time go to a block of a row a product, and each row to its place: rows of the
 * target lie a matrix apart, often a power of two, so that single numbers would push each other out of the cache.
 */
function transformFilters(
  source: Float32Array,
  target: Float32Array,
  { problem, variant, tile }: Packed,
): void {
  const { ic, oc } = problem;
  const { tileK, tileN } = tile;
  const block = new Float32Array(variant.products * tileN);
  const lines = Array.from({ length: variant.products }, (_, row) =>
    block.subarray(row * tileN, (row + 1) * tileN),
  );
  const products = { target: block, step: tileN };
  const rows = Math.ceil(ic / tileK) * tileK;
  const matrix = Math.ceil(oc / tileN) * tileN * rows;
  for (let first = 0; first < oc; first += tileN) {
    const filters = Math.min(tileN, oc - first);
    if (filters < tileN) block.fill(0); // Whole lines go to the target, and behind the last filter it is zero.
    for (let channel = 0; channel < ic; channel++) {
      for (let filter = 0; filter < filters; filter++) {
        variant.transformFilter(source, ((first + filter) * ic + channel) * 9, products, filter);
      }
      const place = first * rows + channel * tileN;
      for (const [row, line] of lines.entries()) target.set(line, row * matrix + place);
    }
  }
}
