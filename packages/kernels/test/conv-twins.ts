/**
 * Small twins of the tiled convolution kernels: the same text with tiles whose edges small pictures cross, and which a
 * software adapter compiles in a moment.
 */
import { depthwise } from '../src/conv/depthwise.ts';
import { depthwisePatchOf } from '../src/conv/depthwise-patch.ts';
import { im2colOf } from '../src/conv/im2col.ts';
import { implicitGemmOf } from '../src/conv/implicit-gemm.ts';
import type { ConvProblem } from '../src/conv/problem.ts';
import { registerTile } from '../src/conv/register-tile.ts';
import { winogradOf } from '../src/conv/winograd.ts';
import { WINOGRAD_2X2 } from '../src/conv/winograd-transforms.ts';
import type { Algorithm } from '../src/shared/algorithm.ts';

const TWIN_TILE = { tileM: 8, tileN: 8, tileK: 8, slices: 2, cell: { rows: 4, columns: 1 } };

const twin = (name: string, changes: Partial<typeof TWIN_TILE>, splits = 1): Algorithm<ConvProblem> =>
  implicitGemmOf(name, () => [{ tile: { ...TWIN_TILE, ...changes }, splits }]);

export const CONV_TWINS: readonly Algorithm<ConvProblem>[] = [
  twin('implicit-gemm twin', { slices: 1 }),
  twin('sliced twin of wide cells', { tileN: 16, slices: 3, cell: { rows: 4, columns: 2 } }),
  twin('split-k twin', {}, 3),
  im2colOf('im2col in chunks', 20000),
  depthwisePatchOf('depthwise-patch twin', () => [{ columns: 2, rows: 2 }]),
  winogradOf('winograd-2x2 twin', WINOGRAD_2X2, () => [{ tile: { ...TWIN_TILE, slices: 1 }, splits: 1 }]),
  withoutSubgroups('register-tile of own weights', registerTile),
  withoutSubgroups('depthwise of own weights', depthwise),
];

/** As on adapters whose subgroups are not four invocations: every one loads its weights. */
function withoutSubgroups(name: string, twin: Algorithm<ConvProblem>): Algorithm<ConvProblem> {
  return {
    ...twin,
    name,
    plan: (problem, target, options) => twin.plan(problem, { ...target, subgroupSize: undefined }, options),
  };
}
