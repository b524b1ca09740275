/**
 * When Winograd's convolutions pay: the time of their three dispatches a chunk, estimated beside the implicit GEMM's and
 * each other's. The transforms move memory: at TRAFFIC, the source once and its values, 36 for every 16 outputs or 16 for
 * every 4, and so for the outputs.
 */
import type { GpuCapabilities } from '@onegpu/core';
import { remembered } from '../shared/remembered.ts';
import { scratchChunks } from '../shared/scratch-chunks.ts';
import { LAUNCH, type RankedConfiguration, rankedConfigurations } from './gemm-rule.ts';
import type { GemmTile } from './gemm-tile.ts';
import type { ConvProblem } from './problem.ts';
import type { WinogradVariant } from './winograd-transforms.ts';
import { transformedLength } from './winograd-weights.ts';

/** Microseconds a megabyte. */
const TRAFFIC = 0.3;
/** Values and products of one chunk, which are then read from the second-level cache. */
const CHUNK_BYTES = 64 * 2 ** 20;
/** What it has to gain: the estimate is not that exact, and the weights take up to four times the memory. */
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

export function tileGrid(
  { batch, oh, ow }: ConvProblem,
  { outputs }: Pick<WinogradVariant, 'outputs'>,
): TileGrid {
  const [tilesY, tilesX] = [Math.ceil(oh / outputs), Math.ceil(ow / outputs)];
  return { tilesY, tilesX, tiles: batch * tilesY * tilesX };
}

/** Scratch of one tile: its values and its products. */
export function tileBytes(
  { ic, oc }: ConvProblem,
  variant: WinogradVariant,
): { readonly values: number; readonly products: number } {
  const bytes = (channels: number): number => variant.products * 16 * Math.ceil(channels / 4);
  return { values: bytes(ic), products: bytes(oc) };
}

/** Tiles of a chunk, all chunks about as long as each other and whole rows of products. @throws GpuKernelShapeError where `given` does not hold a tile */
export function chunkTiles(
  problem: ConvProblem,
  variant: WinogradVariant,
  { limits }: GpuCapabilities,
  given?: number,
): number {
  const { values, products } = tileBytes(problem, variant);
  const { tiles } = tileGrid(problem, variant);
  const { size } = scratchChunks({
    ...{ label: 'conv/winograd', units: tiles, unitBytes: values + products, given },
    most: Math.min(CHUNK_BYTES, limits.maxStorageBufferBindingSize),
  });
  const even = Math.ceil(tiles / Math.max(1, Math.ceil(tiles / size)));
  const whole = Math.min(tiles, Math.ceil(even / WHOLE_ROWS) * WHOLE_ROWS);
  return whole <= size ? whole : even;
}

/** The batched product of `tiles` tiles as a 1x1 convolution of as many images of one line as a tile has products. */
export function productProblem(
  problem: ConvProblem,
  { products }: WinogradVariant,
  tiles: number,
): ConvProblem {
  return {
    ...problem,
    ...{ batch: products, ih: 1, iw: tiles, oh: 1, ow: tiles, kh: 1, kw: 1 },
    ...{ padTop: 0, padLeft: 0, padBottom: 0, padRight: 0 },
  };
}

/** Tiles of the batched product, the quickest first; what they are does not depend on the scratch that is given. */
export const productConfigurations = remembered(
  (
    problem: ConvProblem,
    target: GpuCapabilities,
    variant: WinogradVariant,
  ): readonly RankedConfiguration[] => {
    const product = productProblem(problem, variant, chunkTiles(problem, variant, target));
    return rankedConfigurations(product, target).filter(({ configuration }) => configuration.splits === 1);
  },
  ({ outputs }) => `${outputs}`,
);

/** Why a binding does not hold its operands. */
export function exceedsBinding(
  problem: ConvProblem,
  variant: WinogradVariant,
  { tile, limits }: { readonly tile: GemmTile; readonly limits: GpuCapabilities['limits'] },
): string | undefined {
  const weights = 4 * transformedLength(problem, variant, tile);
  const bytes = Math.max(weights, ...Object.values(tileBytes(problem, variant)));
  const most = limits.maxStorageBufferBindingSize;
  return bytes > most ? `its transformed weights take ${bytes} bytes, a binding holds ${most}` : undefined;
}

/** Why an implicit GEMM, or one of the other variants that may run, is the better choice; undefined where none is. */
export function notWorthwhile(
  problem: ConvProblem,
  variant: WinogradVariant,
  target: GpuCapabilities,
  others: readonly WinogradVariant[],
): string | undefined {
  const [own] = productConfigurations(problem, target, variant);
  const [gemm] = rankedConfigurations(problem, target);
  if (own === undefined || gemm === undefined) return undefined;
  const { outputs } = variant;
  const { tiles } = tileGrid(problem, variant);
  if (tiles < FEWEST_TILES) return `${tiles} tiles of ${outputs}x${outputs} outputs do not fill its products`;
  const time = estimate(problem, variant, target, own);
  const refused = (other: string, otherTime: number): string =>
    `estimated at ${time.toFixed(0)} us, ${other} at ${otherTime.toFixed(0)} us`;
  const most = Math.min(WORTH * gemm.time, gemm.time - LEAST_GAIN);
  if (time > most) return refused('an implicit GEMM', gemm.time);
  for (const other of others) {
    const otherTime = winogradTime(problem, other, target);
    if (otherTime < time) return refused(`tiles of ${other.outputs}x${other.outputs} outputs`, otherTime);
  }
  return undefined;
}

/** Estimated microseconds; infinite where the variant cannot fill its products, or not run. */
function winogradTime(problem: ConvProblem, variant: WinogradVariant, target: GpuCapabilities): number {
  const [best] = productConfigurations(problem, target, variant);
  const { tiles } = tileGrid(problem, variant);
  if (best === undefined || tiles < FEWEST_TILES) return Number.POSITIVE_INFINITY;
  const { tile } = best.configuration;
  if (exceedsBinding(problem, variant, { tile, limits: target.limits })) return Number.POSITIVE_INFINITY;
  return estimate(problem, variant, target, best);
}

/** Microseconds of all chunks; the products' own estimate knows the weights of one matrix of all. */
function estimate(
  problem: ConvProblem,
  variant: WinogradVariant,
  target: GpuCapabilities,
  product: RankedConfiguration,
): number {
  const { tiles } = tileGrid(problem, variant);
  const { values, products } = tileBytes(problem, variant);
  const { batch, ic, ih, iw, oc, oh, ow, epilogue } = problem;
  const pictures = 4 * batch * (ic * ih * iw + oc * oh * ow * (epilogue.residual ? 2 : 1));
  const traffic = (tiles * (values + products) + pictures) / 1e6;
  const chunks = Math.ceil(tiles / chunkTiles(problem, variant, target));
  const weights = (4 * (variant.products - 1) * ic * oc) / 1e6;
  return chunks * (product.time + 2 * LAUNCH + weights * TRAFFIC) + traffic * TRAFFIC;
}
