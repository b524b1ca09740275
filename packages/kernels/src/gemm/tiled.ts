/** `tiled`, `gemv-sliced` and `rows-sliced`: through workgroup memory, for hardware adapters. */
import type { GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { gemvSlicedWgsl, type SliceTile, slicedBytes, slicedInvocations } from './gemv-sliced.wgsl.ts';
import { type GemmKernel, gemmPlan } from './plan.ts';
import type { GemmProblem } from './problem.ts';
import { EMPTY_OPERANDS, type GemmExtents, type GemmSpec, makeGemmSpec } from './spec.ts';
import { tiledWgsl, type WorkgroupTile, workgroupBytes, workgroupShape } from './tiled.wgsl.ts';

/** Where it leaves workgroups enough for a large GPU; the fewest that are. */
const LARGE_TILE: WorkgroupTile = {
  ...{ blockM: 64, blockN: 128, blockK: 16, registers: { rows: 8, columns: 2 } },
};
const FEWEST_LARGE = 256;
const TILE: WorkgroupTile = { blockM: 64, blockN: 64, blockK: 16, registers: { rows: 8, columns: 1 } };
/** The same text on a small scale: a software adapter compiles the large tile for seconds. */
const SMALL_TILE: WorkgroupTile = { blockM: 16, blockN: 16, blockK: 8, registers: { rows: 4, columns: 1 } };
/** One row waits for memory, so that many loads are under way; more rows share them. */
const ONE_ROW: SliceTile = { quads: 4, slices: 64, rows: 1, ahead: 4 };
const FOUR_ROWS: SliceTile = { quads: 4, slices: 64, rows: 4, ahead: 2 };
/** Rows up to which workgroups of four rows beat a tile that is mostly empty. */
const SLICED_ROWS = 16;

export const SLOW_BARRIERS = 'workgroup memory is slow on a software adapter';

function tileFor(target: GpuCapabilities, extents?: GemmExtents): WorkgroupTile {
  if (target.software) return SMALL_TILE;
  if (extents === undefined) return TILE;
  const { blockM, blockN } = LARGE_TILE;
  const tiles = extents.batch * Math.ceil(extents.gemmM / blockM) * Math.ceil(extents.gemmN / blockN);
  return tiles >= FEWEST_LARGE ? LARGE_TILE : TILE;
}

/** The workgroup-memory kernel for a spec, in the tile that suits the adapter and, where given, the product. */
export function tiledKernel(spec: GemmSpec, target: GpuCapabilities, extents?: GemmExtents): GemmKernel {
  const tile = tileFor(target, extents);
  return {
    tile: `${tile.blockM}x${tile.blockN}x${tile.blockK}`,
    wgsl: tiledWgsl(spec, tile),
    tileM: tile.blockM,
    tileN: tile.blockN,
    tilesAWorkgroup: 1,
  };
}

/** Why the adapter cannot run `tiledKernel`; undefined when it can. */
export function tiledRefusal(target: GpuCapabilities): string | undefined {
  const tile = tileFor(target);
  const shape = workgroupShape(tile);
  return lacking(target, shape.m * shape.n, workgroupBytes(tile));
}

function lacking({ limits }: GpuCapabilities, invocations: number, bytes: number): string | undefined {
  const invocationLimit = Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX);
  if (invocations > invocationLimit) {
    return `needs ${invocations} invocations a workgroup, the adapter allows ${invocationLimit}`;
  }
  if (bytes > limits.maxComputeWorkgroupStorageSize) {
    return `needs ${bytes} bytes of workgroup memory, maxComputeWorkgroupStorageSize is ${limits.maxComputeWorkgroupStorageSize}`;
  }
  return undefined;
}

export const tiled: Algorithm<GemmProblem> = {
  name: 'tiled',
  impossible: (problem, target) => (problem.gemmK === 0 ? EMPTY_OPERANDS : tiledRefusal(target)),
  reject: (_problem, target) => (target.software ? SLOW_BARRIERS : undefined),
  plan(problem, target) {
    const spec = makeGemmSpec(problem);
    return gemmPlan('tiled', problem, target, { spec, kernel: tiledKernel(spec, target, problem) });
  },
};

/** One row, or a workgroup a row. */
export const gemvSliced: Algorithm<GemmProblem> = slicedOf('gemv-sliced', ONE_ROW, 1);

export const rowsSliced: Algorithm<GemmProblem> = slicedOf('rows-sliced', FOUR_ROWS, SLICED_ROWS);

/** @param mostRows rows of the result up to which it is the better one */
function slicedOf(name: string, tile: SliceTile, mostRows: number): Algorithm<GemmProblem> {
  return {
    name,
    impossible: (problem, target) =>
      problem.gemmK === 0 ? EMPTY_OPERANDS : lacking(target, slicedInvocations(tile), slicedBytes(tile)),
    reject({ gemmM }, target) {
      if (target.software) return SLOW_BARRIERS;
      return gemmM <= mostRows ? undefined : `${gemmM} rows would read all the weights again and again`;
    },
    plan(problem, target) {
      const spec = makeGemmSpec(problem);
      const kernel: GemmKernel = {
        tile: `${tile.rows}x${4 * tile.quads}x${tile.slices}`,
        wgsl: gemvSlicedWgsl(spec, tile),
        tileM: tile.rows,
        tileN: 4 * tile.quads,
        tilesAWorkgroup: 1,
      };
      return gemmPlan(name, problem, target, { spec, kernel });
    },
  };
}
