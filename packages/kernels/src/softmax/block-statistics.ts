/**
 * Algorithm `block-statistics`: the maximum and the sum of exponentials of every row as a chain of passes over at
 * most 256 terms an invocation, then one pass over the elements. No workgroup memory.
 */
import type { DispatchPass, DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { logSumExpWgsl } from '../reduce/log-sum-exp.wgsl.ts';
import { type ReducePass, reducePasses } from '../reduce/passes.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { normaliseWgsl } from './normalise.wgsl.ts';
import type { SoftmaxProblem } from './problem.ts';

export const BLOCK_STATISTICS: Algorithm<SoftmaxProblem> = {
  name: 'block-statistics',
  impossible: () => undefined,
  reject: () => undefined,
  plan: (problem, target) => planStatistics(problem, target),
};

function planStatistics(problem: SoftmaxProblem, target: GpuCapabilities): DispatchPlan {
  const { operation, outer, extent, inner } = problem;
  const total = outer * extent * inner;
  const label = `${operation}/${BLOCK_STATISTICS.name}/f32`;
  const chain = total === 0 ? [] : reducePasses([{ outer, extent, inner }], target);
  return {
    operator: operation,
    algorithm: BLOCK_STATISTICS.name,
    label,
    passes: [
      ...chain.map((pass, index) => statisticsPass(pass, index, label, target)),
      normalisePass(problem, chain.length - 1, label, target),
    ],
    scratch: (total === 0 ? [{ outer: 1, slices: 1, inner: 1 }] : chain).map((pass, index) => ({
      operand: statisticsName(index),
      bytes: Math.max(pass.outer * pass.slices * pass.inner * 8, 16),
    })),
    tables: [],
    packing: [],
    cost: { flops: 4 * total, bytes: 8 * total },
  };
}

function statisticsName(index: number): string {
  return `statistics${Math.max(index, 0)}`;
}

function statisticsPass(
  pass: ReducePass,
  index: number,
  label: string,
  target: GpuCapabilities,
): DispatchPass {
  const total = pass.outer * pass.slices * pass.inner;
  return {
    label: `${label}/statistics`,
    wgsl: logSumExpWgsl({
      src: pass.first ? 'numbers' : 'pairs',
      dst: 'pairs',
    }),
    bindings: [
      { operand: pass.first ? 'src' : statisticsName(index - 1), access: 'read' },
      { operand: statisticsName(index), access: 'read_write' },
    ],
    params: Uint32Array.of(total, pass.extent, pass.inner, pass.slices, pass.extent, 0, 0, 0),
    workgroups: flatWorkgroups(total, target),
  };
}

function normalisePass(
  problem: SoftmaxProblem,
  last: number,
  label: string,
  target: GpuCapabilities,
): DispatchPass {
  const { outer, extent, inner } = problem;
  const total = outer * extent * inner;
  return {
    label,
    wgsl: normaliseWgsl({ logarithm: problem.operation === 'log-softmax' }),
    bindings: [
      { operand: 'src', access: 'read' },
      { operand: statisticsName(last), access: 'read' },
      { operand: 'dst', access: 'read_write' },
    ],
    params: Uint32Array.of(total, extent, inner, 0),
    workgroups: flatWorkgroups(total, target),
  };
}
