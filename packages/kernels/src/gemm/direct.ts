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
    const kernel = {
      tile: '1x1',
      wgsl: directWgsl(spec),
      tileM: 1,
      tileN: 1,
      tilesAWorkgroup: DIRECT_INVOCATIONS,
    };
    return gemmPlan('direct', problem, target, { spec, kernel });
  },
};
