/** `direct`: takes every problem, on every adapter. */
import type { Algorithm } from '../shared/algorithm.ts';
import { DIRECT_INVOCATIONS, directWgsl } from './direct.wgsl.ts';
import { gemmPlan } from './plan.ts';
import type { GemmProblem } from './problem.ts';
import { type GemmSpec, makeGemmSpec } from './spec.ts';

export const direct: Algorithm<GemmProblem> = {
  name: 'direct',
  impossible: () => undefined,
  reject: () => undefined,
  plan(problem, target) {
    const spec: GemmSpec = {
      ...makeGemmSpec(problem),
      src: problem.transA ? 'column' : 'row',
      weights: problem.transB ? 'column' : 'row',
      dst: 'f32',
    };
    return gemmPlan(problem, spec, target, {
      algorithm: 'direct',
      tile: '1x1',
      wgsl: directWgsl(spec),
      mTiles: problem.gemmM,
      nTiles: problem.gemmN,
      tilesAWorkgroup: DIRECT_INVOCATIONS,
    });
  },
};
