/** Convolution algorithms without those that are quicker than another in places: what the smallest bundle needs. */
import type { Algorithm } from '../shared/algorithm.ts';
import { depthwise } from './depthwise.ts';
import { depthwisePatch } from './depthwise-patch.ts';
import { direct } from './direct.ts';
import { implicitGemm, splitK } from './implicit-gemm.ts';
import type { ConvProblem } from './problem.ts';
import { registerTile, singlePixel } from './register-tile.ts';

/** In the order of `convAlgorithms`, which has them all; `direct` takes everything. */
export const CORE_CONV_ALGORITHMS: readonly Algorithm<ConvProblem>[] = [
  depthwisePatch,
  depthwise,
  singlePixel,
  registerTile,
  implicitGemm,
  splitK,
  direct,
];
