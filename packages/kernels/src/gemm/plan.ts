/** One pass, one dispatch: what the plans of all matrix algorithms have in common. */
import { type DispatchPlan, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import type { GemmProblem } from './problem.ts';
import {
  type GemmSpec,
  gemmBindings,
  gemmCost,
  gemmLabel,
  gemmParams,
  gemmTables,
  weightsPacking,
} from './spec.ts';

export interface GemmPlanParts {
  readonly algorithm: string;
  /** Tile as it appears in labels, `64x64x16`. */
  readonly tile: string;
  readonly wgsl: string;
  /** Tiles of one matrix along m and along n, in the kernel's own units. */
  readonly mTiles: number;
  readonly nTiles: number;
  /** Tiles one workgroup makes. */
  readonly tilesAWorkgroup: number;
}

export function gemmPlan(
  problem: GemmProblem,
  spec: GemmSpec,
  target: GpuCapabilities,
  parts: GemmPlanParts,
): DispatchPlan {
  const label = gemmLabel(problem, parts.algorithm, parts.tile);
  const tiles = problem.batch * parts.mTiles * parts.nTiles;
  return {
    operator: problem.operator,
    algorithm: parts.algorithm,
    label,
    passes: [
      {
        label,
        wgsl: parts.wgsl,
        bindings: gemmBindings(spec),
        params: gemmParams(problem, parts.mTiles, parts.nTiles),
        workgroups: foldWorkgroups(
          Math.ceil(tiles / parts.tilesAWorkgroup),
          target.limits.maxComputeWorkgroupsPerDimension,
        ),
      },
    ],
    scratch: [],
    tables: gemmTables(problem),
    packing: weightsPacking(problem, spec),
    cost: gemmCost(problem),
  };
}
