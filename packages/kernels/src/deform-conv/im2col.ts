/** im2col + GEMM of a deformable convolution: sampled taps in scratch, the product that of the convolution's im2col. */
import type { DispatchPass, DispatchPlan, GpuCapabilities, PassBinding } from '@onegpu/core';
import { columnsRefusal, planColumns, type RowRange } from '../conv/im2col.ts';
import type { Algorithm, KernelOptions } from '../shared/algorithm.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { paramsBlock } from '../shared/params-block.ts';
import { deformColumnsWgsl } from './im2col.wgsl.ts';
import type { DeformConvProblem } from './problem.ts';
import { sampleParams } from './sample.wgsl.ts';

export const deformIm2col: Algorithm<DeformConvProblem> = {
  name: 'im2col',
  reject: ({ conv }) => (conv.oc === 1 ? 'every sample serves a single output channel' : undefined),
  impossible: ({ conv }, target) => columnsRefusal(conv, target),
  plan: planIm2col,
};

function planIm2col(
  problem: DeformConvProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): DispatchPlan {
  return planColumns(problem.conv, target, {
    ...{ name: 'im2col', operator: 'deform-conv', scratchBytes: options.scratchBytes },
    columns: (range) => columnsPass(problem, target, range),
  });
}

function columnsPass(
  problem: DeformConvProblem,
  target: GpuCapabilities,
  { rowBegin, rows }: RowRange,
): Omit<DispatchPass, 'label'> {
  const { kh, kw } = problem.conv;
  const bindings: readonly PassBinding[] = [
    { operand: 'src', access: 'read' },
    { operand: 'offset', access: 'read' },
    { operand: 'scratch', access: 'read_write' },
    ...(problem.mask ? [{ operand: 'mask', access: 'read' } as const] : []),
  ];
  const params = { ...sampleParams(problem), rows, row_begin: rowBegin };
  return {
    wgsl: deformColumnsWgsl({
      ...{ problem, params, columnsBinding: 2 },
      bindings: { src: 0, offset: 1, mask: 3, params: bindings.length },
    }),
    bindings,
    params: paramsBlock(params),
    workgroups: flatWorkgroups(rows * kh * kw * problem.offsetGroups, target),
  };
}
