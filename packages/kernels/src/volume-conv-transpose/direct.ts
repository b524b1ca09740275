/** Direct transposed convolution of volumes: takes every problem, on every adapter. */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { epilogueLabel, spliceEpilogue } from '../shared/epilogue.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { elementCount } from '../shared/layout.ts';
import { paramsBlock } from '../shared/params-block.ts';
import { volumeExtent, volumeParams, volumeTaps } from '../shared/volume.ts';
import { volumeTransposeWgsl } from './direct.wgsl.ts';
import type { VolumeConvTransposeProblem } from './problem.ts';

export const volumeTransposeDirect: Algorithm<VolumeConvTransposeProblem> = {
  name: 'volume-direct',
  impossible: () => undefined,
  reject: () => undefined,
  plan: planDirect,
};

function planDirect(problem: VolumeConvTransposeProblem, target: GpuCapabilities): DispatchPlan {
  const { batch, ic, oc, groups, epilogue, dstDims } = problem;
  const splice = spliceEpilogue(epilogue, 'f32', 3);
  const bindings = [
    { operand: 'src', access: 'read' },
    { operand: 'weights', access: 'read' },
    { operand: 'dst', access: 'read_write' },
    ...splice.bindings,
  ] as const;
  const params = volumeParams(batch, problem);
  const parts = ['conv-transpose', 'volume-direct', 'f32', epilogueLabel(epilogue)];
  const label = parts.filter((part) => part !== '').join('/');
  const stored = elementCount(dstDims);
  const voxels = batch * volumeExtent(problem, 'input');
  const weights = ((ic * oc) / groups) * volumeTaps(problem);
  const pass = {
    label,
    wgsl: volumeTransposeWgsl({ problem, params, paramsBinding: bindings.length, epilogue: splice.wgsl }),
    bindings,
    params: paramsBlock(params),
    workgroups: flatWorkgroups(stored, target),
  };
  return {
    ...{ operator: 'conv-transpose', algorithm: 'volume-direct', label },
    passes: stored === 0 ? [] : [pass],
    ...{ scratch: [], tables: splice.tables, packing: [] },
    cost: {
      flops: 2 * voxels * weights,
      bytes: 4 * (voxels * ic + weights + stored * (epilogue.residual ? 2 : 1)),
    },
  };
}
