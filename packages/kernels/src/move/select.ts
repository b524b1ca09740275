/** Plans of the moving operators. */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { resolveAxis } from '../shared/misfit.ts';
import { makeSliceProblem } from './slice.ts';
import { elementLabel, MOVE_STRIDED, MOVE_STRIDED_PAIRS, stridedPlan } from './strided.ts';
import type { MoveElement, MoveProblem } from './view.ts';

export const MOVE_ALGORITHMS: readonly Algorithm<MoveProblem>[] = [MOVE_STRIDED];

/** The algorithms over pairs of words. */
export const MOVE_PAIR_ALGORITHMS: readonly Algorithm<MoveProblem>[] = [MOVE_STRIDED_PAIRS];

/** Operands `src` and `dst`, dense; elements of 32 bits, or of 64. */
export function selectMove(
  problem: MoveProblem,
  target: GpuCapabilities,
  { element = 'u32', ...options }: KernelOptions & { readonly element?: MoveElement },
): Selection {
  const algorithms = element === 'u32' ? MOVE_ALGORITHMS : MOVE_PAIR_ALGORITHMS;
  return selectAlgorithm(problem.operator, algorithms, problem, target, options);
}

export interface SplitRequest {
  readonly srcDims: readonly number[];
  readonly axis: number;
  /** Extents of the parts along the axis; they add up to the source's. */
  readonly sizes: readonly number[];
  /** Positions of parts that nobody wants; they get no operand. */
  readonly skipped?: readonly number[];
}

/** One slice a part; operands `src`, `dst0`, `dst1`, ... */
export function planSplit(
  request: SplitRequest,
  target: GpuCapabilities,
  element: MoveElement = 'u32',
): DispatchPlan {
  const label = `split/strided/${elementLabel(element)}`;
  const skipped = request.skipped ?? [];
  const plans = splitViews(request).flatMap((view, part) =>
    skipped.includes(part) ? [] : [stridedPlan(view, target, { dst: `dst${part}`, element })],
  );
  return {
    operator: 'split',
    algorithm: 'strided',
    label,
    passes: plans.flatMap((plan) => plan.passes.map((pass) => ({ ...pass, label }))),
    scratch: [],
    tables: [],
    packing: [],
    cost: { flops: 0, bytes: plans.reduce((sum, plan) => sum + plan.cost.bytes, 0) },
  };
}

/** The parts as views. @throws GpuKernelShapeError for an axis out of range. */
export function splitViews({ srcDims, axis, sizes }: SplitRequest): readonly MoveProblem[] {
  const at = resolveAxis('slice', axis, srcDims.length);
  let start = 0;
  return sizes.map((size) => {
    const view = makeSliceProblem({ srcDims, starts: [start], ends: [start + size], axes: [at] });
    start += size;
    return view;
  });
}
