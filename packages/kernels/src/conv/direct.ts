/** Direct convolution: the last algorithm of the list, takes every problem. */
import { type DispatchPlan, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { type DirectSpec, directWgsl } from './direct.wgsl.ts';
import { spliceGate } from './gate.ts';
import { CONV_BINDINGS, convLabel, convParams, convPlan } from './plan.ts';
import { type ConvProblem, convDstElements } from './problem.ts';

const WORKGROUP_SIZE = 64;

export const direct: Algorithm<ConvProblem> = {
  name: 'direct',
  reject: () => undefined,
  impossible: () => undefined,
  plan: planDirect,
};

function planDirect(problem: ConvProblem, target: GpuCapabilities): DispatchPlan {
  const epilogue = spliceEpilogue(problem.epilogue, 'f32', CONV_BINDINGS.length);
  const gate = spliceGate(problem, CONV_BINDINGS.length + epilogue.bindings.length, 'f32');
  const bindings = [...CONV_BINDINGS, ...epilogue.bindings, ...gate.bindings];
  const { layout, ic, oc, kh, kw, groups, strideH, strideW, dilationH, dilationW } = problem;
  const spec: DirectSpec = {
    ...{ layout, ic, oc, kh, kw, groups, strideH, strideW, dilationH, dilationW },
    workgroupSize: WORKGROUP_SIZE,
    paramsBinding: bindings.length,
    epilogue: epilogue.wgsl + gate.wgsl,
    gated: problem.gate,
  };
  const label = convLabel(problem, 'direct', layout);
  const count = Math.ceil(convDstElements(problem) / spec.workgroupSize);
  const pass = {
    label,
    wgsl: directWgsl(spec),
    bindings,
    params: convParams(problem),
    workgroups: foldWorkgroups(count, target.limits.maxComputeWorkgroupsPerDimension),
  };
  return convPlan(problem, { algorithm: 'direct', label, passes: [pass], tables: epilogue.tables });
}
