/** `register-tile` and `gemv`: no workgroup memory, no barriers; what software adapters run. */
import type { Algorithm } from '../shared/algorithm.ts';
import { gemmPlan } from './plan.ts';
import type { GemmProblem } from './problem.ts';
import { REGISTER_TILE_INVOCATIONS, registerTileWgsl } from './register-tile.wgsl.ts';
import { EMPTY_OPERANDS, makeGemmSpec } from './spec.ts';
import type { RegisterTile } from './tile-lines.ts';

/** Rows up to which one row an invocation wastes less than a tile does. */
const GEMV_ROWS = 2;

function barrierFree(name: string, tile: RegisterTile, reject: (problem: GemmProblem) => string | undefined) {
  return {
    name,
    impossible: (problem) => (problem.gemmK === 0 ? EMPTY_OPERANDS : undefined),
    reject,
    plan(problem, target) {
      const spec = makeGemmSpec(problem);
      return gemmPlan(problem, spec, target, {
        algorithm: name,
        tile: `${tile.rows}x${4 * tile.columns}`,
        wgsl: registerTileWgsl(spec, tile),
        mTiles: Math.ceil(problem.gemmM / tile.rows),
        nTiles: Math.ceil(problem.gemmN / 4 / tile.columns),
        tilesAWorkgroup: REGISTER_TILE_INVOCATIONS,
      });
    },
  } satisfies Algorithm<GemmProblem>;
}

/** One row by one vec4 of columns an invocation: weights stream once where there is one row. */
export const gemv: Algorithm<GemmProblem> = barrierFree('gemv', { rows: 1, columns: 1 }, (problem) =>
  problem.gemmM <= GEMV_ROWS ? undefined : `${problem.gemmM} rows would each read all the weights`,
);

export const registerTile: Algorithm<GemmProblem> = barrierFree(
  'register-tile',
  { rows: 4, columns: 2 },
  () => undefined,
);
