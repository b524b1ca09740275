/** `register-tile` and `gemv`: no workgroup memory, no barriers; what software adapters run. */
import type { Algorithm } from '../shared/algorithm.ts';
import { type GemmKernel, gemmPlan } from './plan.ts';
import type { GemmProblem } from './problem.ts';
import { REGISTER_TILE_INVOCATIONS, registerTileWgsl } from './register-tile.wgsl.ts';
import { EMPTY_OPERANDS, type GemmSpec, makeGemmSpec } from './spec.ts';
import type { RegisterTile } from './tile-lines.ts';

/** Rows up to which one row an invocation wastes less than a tile does. */
const GEMV_ROWS = 2;

const GEMV_TILE: RegisterTile = { rows: 1, columns: 1 };
const TILE: RegisterTile = { rows: 4, columns: 2 };
/** As many loads and products a step, for results of one vec4 of columns. */
const NARROW_TILE: RegisterTile = { rows: 8, columns: 1 };

/** The tile that suits the compiled columns; extents that are parameters take the usual one. */
function tileFor({ gemmN }: GemmSpec): RegisterTile {
  return gemmN !== undefined && gemmN <= 4 ? NARROW_TILE : TILE;
}

/** The barrier-free kernel for a spec, with the usual tile or another. */
export function registerTileKernel(spec: GemmSpec, tile: RegisterTile = tileFor(spec)): GemmKernel {
  return {
    tile: `${tile.rows}x${4 * tile.columns}`,
    wgsl: registerTileWgsl(spec, tile),
    tileM: tile.rows,
    tileN: 4 * tile.columns,
    tilesAWorkgroup: REGISTER_TILE_INVOCATIONS,
  };
}

function impossible(problem: GemmProblem): string | undefined {
  return problem.gemmK === 0 ? EMPTY_OPERANDS : undefined;
}

/** One row by one vec4 of columns an invocation: weights stream once where there is one row. */
export const gemv: Algorithm<GemmProblem> = {
  name: 'gemv',
  impossible,
  reject: (problem) =>
    problem.gemmM <= GEMV_ROWS ? undefined : `${problem.gemmM} rows would each read all the weights`,
  plan(problem, target) {
    const spec = makeGemmSpec(problem);
    return gemmPlan('gemv', problem, target, { spec, kernel: registerTileKernel(spec, GEMV_TILE) });
  },
};

export const registerTile: Algorithm<GemmProblem> = {
  name: 'register-tile',
  impossible,
  reject: () => undefined,
  plan(problem, target) {
    const spec = makeGemmSpec(problem);
    return gemmPlan('register-tile', problem, target, { spec, kernel: registerTileKernel(spec) });
  },
};
