/**
 * How a map is shared by workgroups: each takes a picture, a band of rows of dst and a block of wide channels, expands
 * every pixel of src that the band reads (neighbouring bands expand the rows between them twice), and walks the sums in
 * slices of k and steps. Chosen from the problem and the limits of the device by an estimate of time.
 */
import type { GpuLimits } from '@onegpu/core';
import type { RegisterTile } from '../gemm/tile-lines.ts';
import { multiprocessors } from '../shared/multiprocessors.ts';
import { remembered } from '../shared/remembered.ts';
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
  /** The estimate, of the dispatch and that of the factors behind it where there is one. */
  readonly nanoseconds: number;
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
 * What a multiprocessor of the GPUs this is meant for has for the workgroups that it holds at a time: bytes of workgroup
 * memory, of which every workgroup takes some more than it asks for, invocations and registers.
 */
const UNIT_MEMORY = 228 * 1024;
const WORKGROUP_MEMORY = 1024;
const UNIT_INVOCATIONS = 2048;
const UNIT_REGISTERS = 64 * 1024;
const WARP = 32;
/** Registers an invocation has for all but sums, operands and loads, and the most it has in all. */
const OTHER_REGISTERS = 24;
const MOST_REGISTERS = 255;

/**
 * Nanoseconds, fitted to timings of 164 layouts for 22 blocks of networks, which they meet within 6 % (root mean
 * square). First those of a dispatch, and of the one behind it that makes a squeeze-excite's factors.
 */
const LAUNCH = 2950;
export const EXCITE_LAUNCH = 3900;
/** Until the operands of a step are there and its barriers passed, for all workgroups that a unit holds. */
const STEP = 500;
/** Per vec4 of multiply-adds of an invocation: of its own, whatever runs beside it, and of a unit for each warp. */
const SERIAL_PRODUCT = 2.9;
const WARP_PRODUCT = 0.58;
/** Of a unit, per vec4 of sums of a warp that slices leave and add, and per vec4 of multiply-adds of its windows. */
const WARP_SLICE_SUM = 4.1;
const WARP_TAP = 1.9;
/** Of a unit, per vec4 that goes into the map, and per vec4 of a squeeze-excite's weights. */
const MAP_VALUE = 1.26;
const SQUEEZE_WEIGHT = 3.1;
/** Bytes a nanosecond of a unit: operands, dst, and the shares that every workgroup of the second dispatch reads. */
const OPERAND_BYTES = 32;
const DST_BYTES = 13.8;
const SHARE_BYTES = 115;

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
export const layoutOf = remembered(
  quickestLayout,
  ({ hidden = 0, wanted = {} }: LayoutChoice = {}) => `${hidden} ${JSON.stringify(wanted)}`,
);

interface LayoutChoice {
  readonly hidden?: number;
  readonly wanted?: WantedLayout;
}

function quickestLayout(
  problem: ExpandDepthwiseProblem,
  limits: GpuLimits,
  { hidden = 0, wanted = {} }: LayoutChoice = {},
): MapLayout | undefined {
  let best: MapLayout | undefined;
  for (const bandRows of bandsOf(problem, wanted)) {
    for (const [quads, rows] of blocksOf(wanted)) {
      const layout = bandLayout(problem, limits, { hidden, wanted: { ...wanted, bandRows, quads, rows } });
      if (layout !== undefined && layout.nanoseconds < (best?.nanoseconds ?? Infinity)) best = layout;
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
    return {
      ...parts,
      nanoseconds: nanosecondsOf(problem, parts, { hidden, units: multiprocessors({ limits }) }),
    };
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

/** What the workgroups of a unit take one after the other, and the latency of those that it holds together. */
function nanosecondsOf(
  problem: ExpandDepthwiseProblem,
  { tile, bands, blocks }: Omit<MapLayout, 'nanoseconds'>,
  { hidden, units }: { readonly hidden: number; readonly units: number },
): number {
  const { depthwise } = problem;
  const taps = depthwise.kh * depthwise.kw;
  const hiddenQuads = Math.ceil(hidden / 4);
  const perUnit = Math.ceil((depthwise.batch * bands * blocks) / units);
  const rounds = Math.ceil(perUnit / residentOf(tile, taps));
  const dstBytes = 4 * depthwise.batch * depthwise.oc * depthwise.oh * depthwise.ow;
  const shareBytes = 16 * hiddenQuads * bands * blocks;
  return (
    LAUNCH +
    (hidden === 0 ? 0 : EXCITE_LAUNCH) +
    perUnit * (workgroupOf(problem, tile) + hiddenQuads * tile.quads * SQUEEZE_WEIGHT) +
    rounds * tile.steps * STEP +
    dstBytes / (units * DST_BYTES) +
    shareBytes / SHARE_BYTES
  );
}

/** Nanoseconds of a unit for a workgroup, its latency and a squeeze-excite aside. */
function workgroupOf({ expand, depthwise }: ExpandDepthwiseProblem, tile: MapTile): number {
  const { pixels, quads, cell, slices, kQuads, steps, patch, patches } = tile;
  const warps = Math.ceil(tileInvocations(tile) / WARP);
  const registers = cell.rows * cell.columns;
  const bytes = 16 * Math.ceil(expand.ic / 4) * (pixels + 4 * quads);
  const products = 4 * registers * kQuads * steps;
  const sums = slices > 1 ? registers : 0;
  const taps = patches * patch * depthwise.kh * depthwise.kw;
  return (
    bytes / OPERAND_BYTES +
    products * (SERIAL_PRODUCT + WARP_PRODUCT * warps) +
    warps * (sums * WARP_SLICE_SUM + taps * WARP_TAP) +
    pixels * quads * MAP_VALUE
  );
}

/** Workgroups that a unit holds at a time. */
function residentOf(tile: MapTile, taps: number): number {
  const { pixels, quads, cell, slices, kQuads } = tile;
  const invocations = tileInvocations(tile);
  const stepQuads = slices * kQuads;
  const loads =
    Math.ceil((pixels * stepQuads) / invocations) + Math.ceil((4 * stepQuads * quads) / invocations);
  // Sums of a block and of all, a column of src, and what is loaded for the next step.
  const vectors = 2 * cell.rows * cell.columns + cell.rows + loads;
  const registers = Math.min(MOST_REGISTERS, 4 * vectors + OTHER_REGISTERS);
  const held = Math.min(
    UNIT_MEMORY / (mapBytes(tile, taps) + WORKGROUP_MEMORY),
    UNIT_INVOCATIONS / invocations,
    UNIT_REGISTERS / (registers * Math.ceil(invocations / WARP) * WARP),
  );
  return Math.max(1, Math.floor(held));
}
