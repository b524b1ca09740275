/**
 * Tiles of the implicit GEMM: what one workgroup makes, how its invocations share it, and how many workgroups share
 * the sum. Their names are what labels, tuning files and `KernelOptions.configuration` say:
 * `64x64x16/8x4s2z4`: 64 pixels x 64 channels in steps of 16 terms, 8 x 4 outputs an invocation, k in 2 slices inside
 * the workgroup, and in 4 splits over workgroups.
 */
import type { GpuLimits } from '@onegpu/core';
import type { RegisterTile } from '../gemm/tile-lines.ts';
import { transposedRow } from '../gemm/transposed-tile.ts';

/** A workgroup's tile; extents in scalars. `tileM` x `tileN` outputs, `tileK` terms a step, `slices` of k. */
export interface GemmTile {
  readonly tileM: number;
  readonly tileN: number;
  readonly tileK: number;
  readonly slices: number;
  /** Rows, in fours, and vec4 columns one invocation makes. */
  readonly cell: RegisterTile;
}

export interface GemmConfiguration {
  readonly tile: GemmTile;
  /** Workgroups that share one output tile, each over its own part of k; 1: the tile is stored at once. */
  readonly splits: number;
}

/** Invocations of one slice. */
export function sliceInvocations({ tileM, tileN, cell }: GemmTile): number {
  return (tileM / cell.rows) * (tileN / 4 / cell.columns);
}

/** Bytes of workgroup memory. */
export function gemmTileBytes({ tileM, tileN, tileK, slices }: GemmTile): number {
  return slices * tileK * (transposedRow(tileM) + tileN / 4) * 16;
}

export function fitsDevice(tile: GemmTile, limits: GpuLimits): boolean {
  const invocations = sliceInvocations(tile) * tile.slices;
  return (
    gemmTileBytes(tile) <= limits.maxComputeWorkgroupStorageSize &&
    invocations <= limits.maxComputeInvocationsPerWorkgroup &&
    invocations <= limits.maxComputeWorkgroupSizeX
  );
}

export function configurationName({ tile, splits }: GemmConfiguration): string {
  const { tileM, tileN, tileK, slices, cell } = tile;
  const shared = `${slices > 1 ? `s${slices}` : ''}${splits > 1 ? `z${splits}` : ''}`;
  return `${tileM}x${tileN}x${tileK}/${cell.rows}x${4 * cell.columns}${shared}`;
}

const NAME = /^(\d+)x(\d+)x(\d+)\/(\d+)x(\d+)(?:s(\d+))?(?:z(\d+))?$/;

/** Undefined where the text is no name of a configuration, or its extents do not divide each other. */
export function parseConfiguration(name: string): GemmConfiguration | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const [tileM = 0, tileN = 0, tileK = 0, rows = 0, columns = 0, slices = 1, splits = 1] = match
    .slice(1)
    .map((text) => (text === undefined ? 1 : Number(text)));
  const tile = { tileM, tileN, tileK, slices, cell: { rows, columns: columns / 4 } };
  return isTile(tile) && splits >= 1 ? { tile, splits } : undefined;
}

/** Whether every invocation of a slice loads, multiplies and stores the same number of vec4. */
function isTile(tile: GemmTile): boolean {
  const { tileM, tileN, tileK, slices, cell } = tile;
  const invocations = sliceInvocations(tile);
  const whole = [
    tileK / 4,
    tileN / 4,
    cell.columns,
    cell.rows / 4,
    tileM / cell.rows,
    tileN / 4 / cell.columns,
    invocations,
  ];
  const loads = [
    invocations / (tileK / 4),
    (tileM * tileK) / 4 / invocations,
    (tileK * tileN) / 4 / invocations,
  ];
  return slices >= 1 && [...whole, ...loads].every((count) => Number.isInteger(count) && count >= 1);
}
