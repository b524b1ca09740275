/** Direct deformable convolution: the last algorithm of the list, takes every problem. */
import type { DispatchPlan, GpuCapabilities, PassBinding } from '@onegpu/core';
import { convLabel, convPlan } from '../conv/plan.ts';
import { convDstElements } from '../conv/problem.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { paramsBlock } from '../shared/params-block.ts';
import { deformDirectWgsl } from './direct.wgsl.ts';
import type { DeformConvProblem } from './problem.ts';
import { sampleParams } from './sample.wgsl.ts';

export const deformDirect: Algorithm<DeformConvProblem> = {
  name: 'direct',
  reject: () => undefined,
  impossible: () => undefined,
  plan: planDirect,
};

function planDirect(problem: DeformConvProblem, target: GpuCapabilities): DispatchPlan {
  const { conv } = problem;
  const operands: readonly PassBinding[] = [
    { operand: 'src', access: 'read' },
    { operand: 'weights', access: 'read' },
    { operand: 'dst', access: 'read_write' },
    { operand: 'offset', access: 'read' },
    ...(problem.mask ? [{ operand: 'mask', access: 'read' } as const] : []),
  ];
  const epilogue = spliceEpilogue(conv.epilogue, 'f32', operands.length);
  const bindings = [...operands, ...epilogue.bindings];
  const params = sampleParams(problem);
  const label = convLabel(conv, 'direct', 'nchw', 'deform-conv');
  const wgsl = deformDirectWgsl({
    ...{ problem, params, epilogue: epilogue.wgsl },
    bindings: { src: 0, offset: 3, mask: 4, params: bindings.length },
  });
  const workgroups = flatWorkgroups(convDstElements(conv), target);
  const pass = { label, wgsl, bindings, params: paramsBlock(params), workgroups };
  return convPlan(conv, {
    ...{ operator: 'deform-conv', algorithm: 'direct', label },
    ...{ passes: [pass], tables: epilogue.tables },
  });
}
