/**
 * Algorithm `row-statistics` of instance and layer normalisation: means, then variances about them, both folded in
 * blocks as reductions are, then one pass over the elements.
 */
import type { DispatchPass, DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { blockFoldWgsl } from '../reduce/block-fold.wgsl.ts';
import { foldText } from '../reduce/operations.ts';
import { type ReducePass, reducePasses } from '../reduce/passes.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import type { RowNormProblem } from './problem.ts';
import { applyRowsWgsl, inverseDeviationWgsl, varianceFunctions } from './row-norm.wgsl.ts';

export const ROW_STATISTICS: Algorithm<RowNormProblem> = {
  name: 'row-statistics',
  impossible: () => undefined,
  reject: () => undefined,
  plan: (problem, target) => planRowStatistics(problem, target),
};

function planRowStatistics(problem: RowNormProblem, target: GpuCapabilities): DispatchPlan {
  const { operation, rows, extent } = problem;
  const total = rows * extent;
  const chain = total === 0 ? [] : reducePasses([{ outer: rows, extent, inner: 1 }], target);
  const statistics = (['mean', 'variance'] as const).flatMap((statistic) =>
    chain.map((pass, index) => statisticPass(problem, statistic, { pass, index }, target)),
  );
  const partials = chain.slice(0, -1).flatMap((pass, index) =>
    (['mean', 'variance'] as const).map((statistic) => ({
      operand: `${statistic}${index}`,
      bytes: Math.max(pass.outer * pass.slices * 4, 16),
    })),
  );
  const rowBytes = Math.max(rows * 4, 16);
  return {
    operator: operation,
    algorithm: ROW_STATISTICS.name,
    label: rowLabel(problem),
    passes: [
      ...statistics,
      ...(problem.statistics.includes('inverse-deviation') ? [inversePass(problem, target)] : []),
      applyPass(problem, target),
    ],
    scratch: [
      ...partials,
      ...(problem.statistics.includes('mean') ? [] : [{ operand: 'row_mean', bytes: rowBytes }]),
      { operand: 'row_variance', bytes: rowBytes },
    ],
    tables: [],
    packing: [],
    cost: { flops: 6 * total, bytes: 8 * total + 8 * problem.parameters },
  };
}

/** `layer-norm/row-statistics/f32`. */
function rowLabel(problem: RowNormProblem): string {
  return `${problem.operation}/${ROW_STATISTICS.name}/f32`;
}

function statisticPass(
  problem: RowNormProblem,
  statistic: 'mean' | 'variance',
  place: { readonly pass: ReducePass; readonly index: number },
  target: GpuCapabilities,
): DispatchPass {
  const { pass, index } = place;
  const total = pass.outer * pass.slices;
  const text = foldText('mean', { lanes: 1 }, pass);
  const readsMeans = statistic === 'variance' && pass.first;
  return {
    label: `${rowLabel(problem)}/${statistic}`,
    wgsl: blockFoldWgsl({
      ...text,
      functions: statistic === 'mean' ? text.functions : varianceFunctions(pass),
      sideOperand: readsMeans,
    }),
    bindings: [
      { operand: pass.first ? 'src' : `${statistic}${index - 1}`, access: 'read' },
      { operand: pass.last ? `row_${statistic}` : `${statistic}${index}`, access: 'read_write' },
      ...(readsMeans ? [{ operand: 'row_mean', access: 'read' as const }] : []),
    ],
    params: Uint32Array.of(total, pass.extent, 1, pass.slices, problem.extent, 0, 0, 0),
    workgroups: flatWorkgroups(total, target),
  };
}

function inversePass(problem: RowNormProblem, target: GpuCapabilities): DispatchPass {
  return {
    label: `${rowLabel(problem)}/inverse-deviation`,
    wgsl: inverseDeviationWgsl(problem.epsilon),
    bindings: [
      { operand: 'row_variance', access: 'read' },
      { operand: 'row_inverse_deviation', access: 'read_write' },
    ],
    params: Uint32Array.of(problem.rows, 0, 0, 0),
    workgroups: flatWorkgroups(problem.rows, target),
  };
}

function applyPass(problem: RowNormProblem, target: GpuCapabilities): DispatchPass {
  const total = problem.rows * problem.extent;
  return {
    label: rowLabel(problem),
    wgsl: applyRowsWgsl({
      parameterOf: problem.operation === 'instance-norm' ? 'row' : 'element',
      bias: problem.bias,
      epsilon: problem.epsilon,
    }),
    bindings: [
      { operand: 'src', access: 'read' },
      { operand: 'row_mean', access: 'read' },
      { operand: 'row_variance', access: 'read' },
      { operand: 'scale', access: 'read' },
      { operand: 'dst', access: 'read_write' },
      ...(problem.bias ? [{ operand: 'bias', access: 'read' as const }] : []),
    ],
    params: Uint32Array.of(total, problem.extent, problem.parameters, 0),
    workgroups: flatWorkgroups(total, target),
  };
}
