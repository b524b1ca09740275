/** One pass, one dispatch: what the plans of all matrix algorithms have in common. */
import { type DispatchPass, type DispatchPlan, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import type { GemmProblem } from './problem.ts';
import {
  type GemmExtents,
  type GemmSpec,
  gemmBindings,
  gemmCost,
  gemmLabel,
  gemmParams,
  gemmTables,
  weightsPacking,
} from './spec.ts';

/** A kernel's text with the tile it was made for. */
export interface GemmKernel {
  /** Tile as it appears in labels, `64x64x16`. */
  readonly tile: string;
  readonly wgsl: string;
  /** Rows and columns of a tile of the result. */
  readonly tileM: number;
  readonly tileN: number;
  /** Tiles one workgroup makes. */
  readonly tilesAWorkgroup: number;
}

/** The dispatch of a kernel over a product of these extents. */
export function gemmPass(
  extents: GemmExtents,
  spec: GemmSpec,
  kernel: GemmKernel,
  dispatch: { readonly label: string; readonly target: GpuCapabilities },
): DispatchPass {
  const mTiles = Math.ceil(extents.gemmM / kernel.tileM);
  const nTiles = Math.ceil(extents.gemmN / kernel.tileN);
  const workgroups = Math.ceil((extents.batch * mTiles * nTiles) / kernel.tilesAWorkgroup);
  return {
    label: dispatch.label,
    wgsl: kernel.wgsl,
    bindings: gemmBindings(spec),
    params: gemmParams(extents, spec, { mTiles, nTiles }),
    workgroups: foldWorkgroups(workgroups, dispatch.target.limits.maxComputeWorkgroupsPerDimension),
  };
}

export function gemmPlan(
  algorithm: string,
  problem: GemmProblem,
  target: GpuCapabilities,
  { spec, kernel }: { readonly spec: GemmSpec; readonly kernel: GemmKernel },
): DispatchPlan {
  const label = gemmLabel(problem, algorithm, kernel.tile);
  return {
    operator: problem.operator,
    algorithm,
    label,
    passes: [gemmPass(problem, spec, kernel, { label, target })],
    scratch: [],
    tables: gemmTables(problem),
    packing: weightsPacking(problem, spec),
    cost: gemmCost(problem),
  };
}
