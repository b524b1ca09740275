/** Direct convolution of volumes: the last algorithm of the list, takes every problem. */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { CONV_BINDINGS, convLabel, convPlan } from '../conv/plan.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { paramsBlock } from '../shared/params-block.ts';
import { volumeParams } from '../shared/volume.ts';
import { volumeDirectWgsl } from './direct.wgsl.ts';
import { type VolumeConvProblem, volumeConvDstElements, volumeProduct } from './problem.ts';

export const volumeDirect: Algorithm<VolumeConvProblem> = {
  name: 'volume-direct',
  reject: () => undefined,
  impossible: () => undefined,
  plan: planDirect,
};

function planDirect(problem: VolumeConvProblem, target: GpuCapabilities): DispatchPlan {
  const product = volumeProduct(problem);
  const epilogue = spliceEpilogue(problem.epilogue, 'f32', CONV_BINDINGS.length);
  const bindings = [...CONV_BINDINGS, ...epilogue.bindings];
  const params = volumeParams(problem.batch, problem);
  const label = convLabel(product, 'volume-direct', 'nchw');
  const pass = {
    label,
    wgsl: volumeDirectWgsl({ problem, params, paramsBinding: bindings.length, epilogue: epilogue.wgsl }),
    bindings,
    params: paramsBlock(params),
    workgroups: flatWorkgroups(volumeConvDstElements(problem), target),
  };
  return convPlan(product, { algorithm: 'volume-direct', label, passes: [pass], tables: epilogue.tables });
}
