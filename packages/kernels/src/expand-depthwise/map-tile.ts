/**
 * How a map is shared by workgroups: each takes a picture, a band of rows of dst and a block of wide channels, expands
 * every pixel of src that the band reads (neighbouring bands expand the rows between them twice), and walks the sums in
 * slices of k and steps. Chosen from the problem and the limits of the device by an estimate of clocks.
 */
import type { GpuLimits } from '@onegpu/core';
import type { RegisterTile } from '../gemm/tile-lines.ts';
import type { ExpandDepthwiseProblem } from './problem.ts';

/** What the kernel's text depends on; extents in pixels and vec4. */
export interface MapTile {
  /** Pixels of src a workgroup expands, and vec4 of wide channels. */
  readonly pixels: number;
  readonly quads: number;
  /** Pixels and vec4 of channels an invocation sums. */
  readonly cell: RegisterTile;
  /** Parts of the invocations that take `kQuads` vec4 of source channels each in a step. */
  readonly slices: number;
  readonly kQuads: number;
  readonly steps: number;
  /** Positions of the map in workgroup memory, with the padding around it. */
  readonly positions: number;
  /** Neighbouring pixels of dst an invocation makes at a time, and how many times. */
  readonly patch: number;
  readonly patches: number;
}

export interface MapLayout {
  readonly tile: MapTile;
  /** Rows of dst a workgroup makes, and how many such bands there are. */
  readonly bandRows: number;
  readonly bands: number;
  /** Blocks of wide channels. */
  readonly blocks: number;
  /** The estimate. */
  readonly clocks: number;
}

/** A layout of one's own instead of the quickest by the estimate: tests and measurements name what they want. */
export type WantedLayout = Partial<
  Pick<MapLayout, 'bandRows'> & Pick<MapTile, 'quads' | 'slices' | 'steps' | 'patch'>
> & {
  readonly rows?: number;
};

export const MOST_INVOCATIONS = 256;
const MOST_SLICES = 8;
/** vec4 of src an invocation holds between its load and its step. */
const MOST_LOADS = 12;
/** Pixels of dst whose windows an invocation makes together. */
const MOST_PATCH = 4;
/** Groups that the sums over a map's invocations are first added to. */
export const SUM_GROUPS = 8;
/** vec4 of source channels whose products are summed before they go to the total: 256 terms. */
export const BLOCK_QUADS = 64;

/**
 * The GPUs this is meant for: compute units, workgroup memory and invocations each holds at a time, bytes and
 * multiply-adds each manages a clock, clocks until a load is back, and those between two multiply-adds of an invocation.
 */
const UNITS = 132;
const UNIT_MEMORY = 224 * 1024;
const UNIT_INVOCATIONS = 2048;
const UNIT_BYTES = 48;
const LATENCY = 600;
const SERIAL_CLOCKS = 1.5;

/** Multiply-adds a clock: larger cells read less workgroup memory for each. */
function unitProducts({ rows, columns }: RegisterTile): number {
  return rows * columns >= 8 ? 80 : 64;
}

export function tileInvocations({ pixels, quads, cell, slices }: MapTile): number {
  return (pixels / cell.rows) * (quads / cell.columns) * slices;
}

/** vec4 from one pixel to the next in the tile of src: odd, against bank conflicts. */
export function pixelStride({ slices, kQuads }: MapTile): number {
  return Math.floor((slices * kQuads) / 2) * 2 + 1;
}

/** vec4 of the memory that holds tiles of src and weights, then the sums of the slices, then those over the map. */
export function tileQuads(tile: MapTile): number {
  const { pixels, quads, slices, kQuads } = tile;
  const operands = pixels * pixelStride(tile) + 4 * slices * kQuads * quads;
  const sums = slices > 1 ? pixels * quads * slices : 0;
  return Math.max(operands, sums, 2 * tileInvocations(tile), SUM_GROUPS * quads);
}

/** Bytes of workgroup memory: tiles, map, taps and the two biases. */
export function mapBytes(tile: MapTile, taps: number): number {
  return 16 * (tileQuads(tile) + (tile.positions + taps + 2) * tile.quads);
}

/** The quickest layout by the estimate; undefined where none fits the device. `hidden`: of a squeeze-excite behind it. */
export function layoutOf(
  problem: ExpandDepthwiseProblem,
  limits: GpuLimits,
  { hidden = 0, wanted = {} }: { readonly hidden?: number; readonly wanted?: WantedLayout } = {},
): MapLayout | undefined {
  let best: MapLayout | undefined;
  for (const bandRows of bandsOf(problem, wanted)) {
    for (const [quads, rows] of blocksOf(wanted)) {
      const layout = bandLayout(problem, limits, { hidden, wanted: { ...wanted, bandRows, quads, rows } });
      if (layout !== undefined && layout.clocks < (best?.clocks ?? Infinity)) best = layout;
    }
  }
  return best;
}

/** Every height that cuts the map into another number of bands. */
function bandsOf(
  { depthwise: { oh } }: ExpandDepthwiseProblem,
  { bandRows }: WantedLayout,
): readonly number[] {
  if (bandRows !== undefined) return [Math.min(bandRows, oh)];
  return [...new Set(Array.from({ length: oh }, (_, index) => Math.ceil(oh / (index + 1))))];
}

/** vec4 of channels of a block, with the pixels an invocation sums. */
function blocksOf({ quads, rows }: WantedLayout): readonly (readonly [number, number])[] {
  const blocks: readonly (readonly [number, number])[] = [8, 4, 2, 1].flatMap((count) => [
    [count, 4] as const,
    [count, 8] as const,
  ]);
  return blocks.filter(([count, each]) => (quads ?? count) === count && (rows ?? each) === each);
}

interface WantedBand {
  readonly hidden: number;
  readonly wanted: WantedLayout & {
    readonly bandRows: number;
    readonly quads: number;
    readonly rows: number;
  };
}

function bandLayout(
  problem: ExpandDepthwiseProblem,
  limits: GpuLimits,
  { hidden, wanted }: WantedBand,
): MapLayout | undefined {
  const { depthwise } = problem;
  const { bandRows, quads, rows } = wanted;
  const cell = { rows, columns: quads >= 8 ? 2 : 1 };
  const pixels = Math.max(1, expandedRows(problem, bandRows)) * depthwise.iw;
  const unit = pixels <= 64 ? 2 * rows : 16;
  // The last patch of a row may reach past it, by as many columns.
  const past = (MOST_PATCH - 1) * depthwise.strideW;
  const shape = {
    ...{ quads, cell, pixels: Math.ceil(pixels / unit) * unit },
    positions: Math.ceil((mapRows(problem, bandRows) * mapWidth(problem) + past) / 4) * 4,
  };
  const lanes = (shape.pixels / cell.rows) * (quads / cell.columns);
  for (const slices of slicesOf(problem, Math.floor(MOST_INVOCATIONS / lanes), wanted)) {
    const windows = patchOf(problem, { ...wanted, invocations: lanes * slices });
    const tile = stepped(problem, limits, { ...shape, slices, ...windows }, wanted);
    if (tile === undefined || Math.ceil(hidden / 4) > tileInvocations(tile)) continue;
    const bands = Math.ceil(depthwise.oh / bandRows);
    const parts = { tile, bandRows, bands, blocks: Math.ceil(Math.ceil(depthwise.oc / 4) / quads) };
    return { ...parts, clocks: clocksOf(problem, parts, hidden) };
  }
  return undefined;
}

/** The longest patch whose windows overlap and that leaves work for half of the invocations. */
function patchOf(
  { depthwise: { ow, kw, strideW } }: ExpandDepthwiseProblem,
  wanted: WantedBand['wanted'] & { readonly invocations: number },
): Pick<MapTile, 'patch' | 'patches'> {
  const { bandRows, quads, invocations } = wanted;
  const itemsOf = (patch: number): number => bandRows * Math.ceil(ow / patch) * quads;
  const longest = strideW >= kw ? 1 : strideW > 1 ? 2 : MOST_PATCH;
  const fitting = [4, 2].find((patch) => patch <= longest && 2 * itemsOf(patch) >= invocations) ?? 1;
  const patch = wanted.patch ?? fitting;
  return { patch, patches: Math.ceil(itemsOf(patch) / invocations) };
}

/** Numbers of slices from that with the shortest sums on, fewer where that is no longer. */
function slicesOf({ expand }: ExpandDepthwiseProblem, most: number, wanted: WantedLayout): readonly number[] {
  const srcQuads = Math.ceil(expand.ic / 4);
  const bound = Math.min(most, MOST_SLICES, srcQuads);
  if (wanted.slices !== undefined) return wanted.slices >= 1 && wanted.slices <= bound ? [wanted.slices] : [];
  const counts = Array.from({ length: Math.max(0, bound) }, (_, index) => bound - index);
  return counts.filter(
    (count) => count === 1 || Math.ceil(srcQuads / (count - 1)) > Math.ceil(srcQuads / count),
  );
}

/** In the fewest steps whose operands fit into workgroup memory and registers. */
function stepped(
  { expand, depthwise }: ExpandDepthwiseProblem,
  limits: GpuLimits,
  shape: Omit<MapTile, 'kQuads' | 'steps'>,
  wanted: WantedLayout,
): MapTile | undefined {
  const perSlice = Math.ceil(Math.ceil(expand.ic / 4) / shape.slices);
  for (let kQuads = perSlice; kQuads >= 1; kQuads--) {
    const steps = Math.ceil(perSlice / kQuads);
    if (kQuads > Math.ceil(perSlice / steps) || (wanted.steps ?? steps) !== steps) continue;
    const tile = { ...shape, kQuads, steps };
    const loads = (shape.pixels * kQuads * shape.slices) / tileInvocations(tile);
    const bytes = mapBytes(tile, depthwise.kh * depthwise.kw);
    if (loads <= MOST_LOADS && bytes <= limits.maxComputeWorkgroupStorageSize) return tile;
  }
  return undefined;
}

/** Rows of the map, padding included, that `bandRows` rows of dst read. */
function mapRows(
  { depthwise: { kh, strideH, dilationH } }: ExpandDepthwiseProblem,
  bandRows: number,
): number {
  return (bandRows - 1) * strideH + (kh - 1) * dilationH + 1;
}

export function mapWidth({ depthwise: { ow, kw, strideW, dilationW } }: ExpandDepthwiseProblem): number {
  return (ow - 1) * strideW + (kw - 1) * dilationW + 1;
}

/** Most rows of src that a band reads. */
function expandedRows(problem: ExpandDepthwiseProblem, bandRows: number): number {
  const { ih, oh, strideH, padTop } = problem.depthwise;
  let most = 0;
  for (let begin = 0; begin < oh; begin += bandRows) {
    const top = begin * strideH - padTop;
    const bottom = top + mapRows(problem, Math.min(bandRows, oh - begin));
    most = Math.max(most, Math.min(bottom, ih) - Math.max(top, 0));
  }
  return most;
}

/** Loads, then sums, then what latency none of the other workgroups of the unit hides. */
function clocksOf(
  problem: ExpandDepthwiseProblem,
  { tile, bands, blocks }: Omit<MapLayout, 'clocks'>,
  hidden: number,
): number {
  const { expand, depthwise } = problem;
  const srcQuads = Math.ceil(expand.ic / 4);
  const { pixels, quads, steps } = tile;
  const invocations = tileInvocations(tile);
  const taps = depthwise.kh * depthwise.kw;
  const bytes = 16 * srcQuads * (pixels + 4 * quads);
  const products = 4 * quads * (4 * srcQuads * pixels + (taps * depthwise.oh * depthwise.ow) / bands);
  const perUnit = Math.ceil((expand.batch * bands * blocks) / UNITS);
  const resident = Math.max(
    1,
    Math.min(Math.floor(UNIT_MEMORY / mapBytes(tile, taps)), Math.floor(UNIT_INVOCATIONS / invocations)),
  );
  const rounds = Math.ceil(perUnit / resident);
  const sums = Math.max(
    (perUnit * products) / unitProducts(tile.cell),
    (rounds * SERIAL_CLOCKS * products) / invocations,
  );
  // Every workgroup of the second dispatch reads all shares of its picture.
  const shares = 16 * Math.ceil(hidden / 4) * bands * blocks;
  return (perUnit * bytes + shares) / UNIT_BYTES + sums + rounds * steps * LATENCY;
}
