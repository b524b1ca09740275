/** im2col + GEMM over volumes: the taps gathered along three axes, the product that of the two-dimensional im2col. */
import type { DispatchPass, DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { columnsRefusal, planColumns, type RowRange } from '../conv/im2col.ts';
import type { Algorithm, KernelOptions } from '../shared/algorithm.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { paramsBlock } from '../shared/params-block.ts';
import { volumeParams } from '../shared/volume.ts';
import { volumeColumnsWgsl } from './im2col.wgsl.ts';
import { type VolumeConvProblem, volumeConvTerms, volumeProduct } from './problem.ts';

/** Below these, gathering a matrix costs more than the direct kernel's weights and index arithmetic. */
const FEWEST_CHANNELS = 4;

export const volumeIm2col: Algorithm<VolumeConvProblem> = {
  name: 'volume-im2col',
  reject: ({ oc }) =>
    oc < FEWEST_CHANNELS ? `a row of taps serves ${oc} output channels, too few to gather it for` : undefined,
  impossible: (problem, target) => columnsRefusal(volumeProduct(problem), target),
  plan: planIm2col,
};

function planIm2col(
  problem: VolumeConvProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): DispatchPlan {
  return planColumns(volumeProduct(problem), target, {
    name: volumeIm2col.name,
    operator: 'conv',
    scratchBytes: options.scratchBytes,
    columns: (range) => columnsPass(problem, target, range),
  });
}

function columnsPass(
  problem: VolumeConvProblem,
  target: GpuCapabilities,
  { rowBegin, rows }: RowRange,
): Omit<DispatchPass, 'label'> {
  const params = { ...volumeParams(problem.batch, problem), rows, row_begin: rowBegin };
  return {
    wgsl: volumeColumnsWgsl({ problem, params }),
    bindings: [
      { operand: 'src', access: 'read' },
      { operand: 'scratch', access: 'read_write' },
    ],
    params: paramsBlock(params),
    workgroups: flatWorkgroups(rows * volumeConvTerms(problem), target),
  };
}
