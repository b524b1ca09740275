/**
 * Algorithm `block-fold`: any reduction as a chain of passes that fold at most 256 terms an invocation, partial
 * results in scratch. No workgroup memory, no atomics; the order of terms depends on the shape and the kind of
 * adapter alone.
 */
import type { DispatchPass, DispatchPlan, GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { paddedChannels } from '../shared/layout.ts';
import { blockFoldWgsl } from './block-fold.wgsl.ts';
import { CONSTANT_FILL_WGSL } from './constant-fill.wgsl.ts';
import { logSumExpWgsl } from './log-sum-exp.wgsl.ts';
import { normFoldWgsl } from './norm-fold.wgsl.ts';
import { EMPTY_RESULT_BITS, foldText } from './operations.ts';
import { type ReducePass, reducePasses } from './passes.ts';
import type { ReduceProblem } from './problem.ts';

export const BLOCK_FOLD: Algorithm<ReduceProblem> = {
  name: 'block-fold',
  impossible: () => undefined,
  reject: () => undefined,
  plan: (problem, target) => planBlockFold(problem, target),
};

function planBlockFold(problem: ReduceProblem, target: GpuCapabilities): DispatchPlan {
  const label = reduceLabel(problem);
  const elements = problem.outputs * problem.count * problem.lanes;
  const base = {
    operator: `reduce-${problem.operation}`,
    algorithm: BLOCK_FOLD.name,
    label,
    tables: [],
    packing: [],
    cost: { flops: elements, bytes: 4 * (elements + problem.outputs * problem.lanes) },
  };
  if (problem.count === 0) return { ...base, passes: [fillPass(problem, target, label)], scratch: [] };
  const passes = reducePasses(problem.groups, target);
  return {
    ...base,
    passes: passes.map((pass, index) => foldPass(problem, pass, index, target)),
    scratch: passes.slice(0, -1).map((pass, index) => ({
      operand: partialName(index),
      bytes: Math.max(partialBytes(problem, pass), 16),
    })),
  };
}

/** `reduce-mean/block-fold/f32/nchw`. */
function reduceLabel(problem: ReduceProblem): string {
  return `reduce-${problem.operation}/${BLOCK_FOLD.name}/f32/${problem.layout}`;
}

function partialName(index: number): string {
  return `partial${index}`;
}

function partialBytes(problem: ReduceProblem, pass: ReducePass): number {
  const numbers = problem.operation === 'log-sum-exp' ? 2 : problem.lanes;
  return pass.outer * pass.slices * pass.inner * numbers * 4;
}

function foldPass(
  problem: ReduceProblem,
  pass: ReducePass,
  index: number,
  target: GpuCapabilities,
): DispatchPass {
  const total = pass.outer * pass.slices * pass.inner;
  return {
    label: pass.last ? reduceLabel(problem) : `${reduceLabel(problem)}/slices`,
    wgsl: passWgsl(problem, pass),
    bindings: [
      { operand: pass.first ? 'src' : partialName(index - 1), access: 'read', bits: 'float32' },
      { operand: pass.last ? 'dst' : partialName(index), access: 'read_write', bits: 'float32' },
    ],
    params: Uint32Array.of(total, pass.extent, pass.inner, pass.slices, problem.count, 0, 0, 0),
    workgroups: flatWorkgroups(total, target),
  };
}

function passWgsl(problem: ReduceProblem, pass: ReducePass): string {
  const { operation, lanes, power } = problem;
  if (operation === 'l2') return normFoldWgsl({ power: 2, lanes });
  if (operation === 'lp') {
    // Sizes alone need no scale.
    return power === 1 ? blockFoldWgsl(foldText('l1', problem, pass)) : normFoldWgsl(problem);
  }
  if (operation === 'log-sum-exp') {
    return logSumExpWgsl({
      src: pass.first ? 'numbers' : 'pairs',
      dst: pass.last ? 'log' : 'pairs',
    });
  }
  return blockFoldWgsl(foldText(operation, problem, pass));
}

function fillPass(problem: ReduceProblem, target: GpuCapabilities, label: string): DispatchPass {
  const total = problem.outputs * problem.lanes;
  const channels = problem.lanes === 4 ? (problem.srcDims[1] ?? 0) : 1;
  const stored = problem.lanes === 4 ? Math.max(paddedChannels(channels), 4) : 1;
  return {
    label: `${label}/empty`,
    wgsl: CONSTANT_FILL_WGSL,
    bindings: [{ operand: 'dst', access: 'read_write', bits: 'float32' }],
    params: Uint32Array.of(
      total,
      problem.emptyBits ?? EMPTY_RESULT_BITS[problem.operation],
      channels,
      stored,
    ),
    workgroups: flatWorkgroups(total, target),
  };
}
