/**
 * When Winograd's convolution pays: the time of its three dispatches a chunk, estimated beside the implicit GEMM's. The
 * transforms move memory: at TRAFFIC, the source once and its values, 36 for every 16 outputs, and so for the outputs.
 */
import type { GpuCapabilities } from '@onegpu/core';
import { remembered } from '../shared/remembered.ts';
import { scratchChunks } from '../shared/scratch-chunks.ts';
import { LAUNCH, type RankedConfiguration, rankedConfigurations } from './gemm-rule.ts';
import type { ConvProblem } from './problem.ts';
import { TILE_OUTPUTS, TILE_PRODUCTS } from './winograd-transforms.ts';

/** Microseconds a megabyte. */
const TRAFFIC = 0.3;
/** Values and products of one chunk, which are then read from the second-level cache. */
const CHUNK_BYTES = 64 * 2 ** 20;
/** What it has to gain: the estimate is not that exact, and the weights take four times the memory. */
const WORTH = 0.9;
/** Microseconds; two dispatches more cost that inside a network, where nothing is in the caches. */
const LEAST_GAIN = 6;
/** Rows of the products that half fill a tile; with fewer, the transformed weights are most of what is read. */
const FEWEST_TILES = 32;
/** Rows of the largest tile of the products. */
const WHOLE_ROWS = 64;

export interface TileGrid {
  readonly tilesY: number;
  readonly tilesX: number;
  /** Of the whole batch. */
  readonly tiles: number;
}

export function tileGrid({ batch, oh, ow }: ConvProblem): TileGrid {
  const [tilesY, tilesX] = [Math.ceil(oh / TILE_OUTPUTS), Math.ceil(ow / TILE_OUTPUTS)];
  return { tilesY, tilesX, tiles: batch * tilesY * tilesX };
}

/** Scratch of one tile: its values and its products. */
export function tileBytes({ ic, oc }: ConvProblem): { readonly values: number; readonly products: number } {
  const bytes = (channels: number): number => TILE_PRODUCTS * 16 * Math.ceil(channels / 4);
  return { values: bytes(ic), products: bytes(oc) };
}

/** Tiles of a chunk, all chunks about as long as each other and whole rows of products. @throws GpuKernelShapeError where `given` does not hold a tile */
export function chunkTiles(problem: ConvProblem, { limits }: GpuCapabilities, given?: number): number {
  const { values, products } = tileBytes(problem);
  const { tiles } = tileGrid(problem);
  const { size } = scratchChunks({
    ...{ label: 'conv/winograd', units: tiles, unitBytes: values + products, given },
    most: Math.min(CHUNK_BYTES, limits.maxStorageBufferBindingSize),
  });
  const even = Math.ceil(tiles / Math.max(1, Math.ceil(tiles / size)));
  const whole = Math.min(tiles, Math.ceil(even / WHOLE_ROWS) * WHOLE_ROWS);
  return whole <= size ? whole : even;
}

/** The batched product of `tiles` tiles as a 1x1 convolution of 36 images of one line. */
export function productProblem(problem: ConvProblem, tiles: number): ConvProblem {
  return {
    ...problem,
    ...{ batch: TILE_PRODUCTS, ih: 1, iw: tiles, oh: 1, ow: tiles, kh: 1, kw: 1 },
    ...{ padTop: 0, padLeft: 0, padBottom: 0, padRight: 0 },
  };
}

/** Tiles of the batched product, the quickest first; what they are does not depend on the scratch that is given. */
export const productConfigurations = remembered(
  (problem: ConvProblem, target: GpuCapabilities): readonly RankedConfiguration[] => {
    const product = productProblem(problem, chunkTiles(problem, target));
    return rankedConfigurations(product, target).filter(({ configuration }) => configuration.splits === 1);
  },
);

/** Why the implicit GEMM is the better choice; undefined where it is not. */
export function notWorthwhile(problem: ConvProblem, target: GpuCapabilities): string | undefined {
  const [own] = productConfigurations(problem, target);
  const [gemm] = rankedConfigurations(problem, target);
  if (own === undefined || gemm === undefined) return undefined;
  const { tiles } = tileGrid(problem);
  if (tiles < FEWEST_TILES) return `${tiles} tiles of 4x4 outputs do not fill its products`;
  const time = estimate(problem, target, own);
  if (time <= Math.min(WORTH * gemm.time, gemm.time - LEAST_GAIN)) return undefined;
  return `estimated at ${time.toFixed(0)} us, an implicit GEMM at ${gemm.time.toFixed(0)} us`;
}

/** Microseconds of all chunks; the products' own estimate knows the weights of one matrix of the 36. */
function estimate(problem: ConvProblem, target: GpuCapabilities, product: RankedConfiguration): number {
  const { tiles } = tileGrid(problem);
  const { values, products } = tileBytes(problem);
  const { batch, ic, ih, iw, oc, oh, ow, epilogue } = problem;
  const pictures = 4 * batch * (ic * ih * iw + oc * oh * ow * (epilogue.residual ? 2 : 1));
  const traffic = (tiles * (values + products) + pictures) / 1e6;
  const chunks = Math.ceil(tiles / chunkTiles(problem, target));
  const weights = (4 * (TILE_PRODUCTS - 1) * ic * oc) / 1e6;
  return chunks * (product.time + 2 * LAUNCH + weights * TRAFFIC) + traffic * TRAFFIC;
}
