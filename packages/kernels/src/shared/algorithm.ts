/**
 * Choosing an algorithm. Every operator has an ordered list of algorithms; the first one that has no reason to
 * refuse the problem runs, the reasons of the others are kept for `describeVariant` and `explain`.
 */
import { type DispatchPlan, type GpuCapabilities, GpuKernelShapeError } from '@onegpu/core';
import type { SumTolerance } from './tolerance.ts';

/**
 * `fast` may choose by speed alone; `deterministic` gives the same bits run to run and at any arena offset on one
 * device and driver. Neither uses atomics.
 */
export type NumericMode = 'fast' | 'deterministic';

export interface KernelOptions {
  readonly mode: NumericMode;
  /** Name of the algorithm to run; refused with its reason where it cannot take the problem. */
  readonly algorithm?: string;
  /**
   * Most bytes of scratch the plan may ask for. The choice of algorithm, tile and split does not look at it: work that
   * does not fit at once is done in chunks of rows or images, with the same bits. Absent: what runs best.
   */
  readonly scratchBytes?: number | undefined;
  /** One of the algorithm's `configurations`, in place of the one it would take. */
  readonly configuration?: string;
}

export interface Algorithm<Problem> {
  /** Name used in labels and by `KernelOptions.algorithm`, e.g. `implicit-gemm`. */
  readonly name: string;
  /**
   * `transformed`: it adds products of transformed operands, whose rounding errors are larger than those of the sums
   * themselves and show on small integers too; `deterministic` mode never runs it. Absent: as exact as sums of the operands.
   */
  readonly sums?: 'transformed';
  /** What the bound of its results depends on beside the terms; absent for sums of the operands. */
  readonly bound?: Pick<SumTolerance, 'transformed'>;
  /** Why this algorithm cannot, or should not, run the problem here; undefined when it can. */
  reject(problem: Problem, target: GpuCapabilities, options: KernelOptions): string | undefined;
  /**
   * Why it must not run at all, even when asked for by name (limits, unsupported attributes); undefined when it
   * can. Preferences (`slower on a software adapter`) belong in `reject` only.
   */
  impossible(problem: Problem, target: GpuCapabilities): string | undefined;
  /**
   * Names of the ways this algorithm can run the problem (tiles, splits), what it takes by itself first; absent where
   * there is one way only. For a problem and device where it is not `impossible`.
   */
  configurations?(problem: Problem, target: GpuCapabilities): readonly string[];
  plan(problem: Problem, target: GpuCapabilities, options: KernelOptions): DispatchPlan;
}

export interface Refusal {
  readonly algorithm: string;
  readonly reason: string;
}

export interface Selection {
  readonly algorithm: string;
  readonly refused: readonly Refusal[];
  readonly plan: DispatchPlan;
}

/**
 * Picks the first algorithm that takes the problem, or the one asked for by name.
 * @throws GpuKernelShapeError when none can, naming each reason.
 */
export function selectAlgorithm<Problem>(
  operator: string,
  algorithms: readonly Algorithm<Problem>[],
  problem: Problem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  const refused: Refusal[] = [];
  for (const algorithm of algorithms) {
    const reason = refusalOf(algorithm, problem, target, options);
    if (reason === undefined) {
      return { algorithm: algorithm.name, refused, plan: algorithm.plan(problem, target, options) };
    }
    refused.push({ algorithm: algorithm.name, reason });
  }
  throw new GpuKernelShapeError('no algorithm takes this problem', {
    subject: operator,
    field: options.algorithm === undefined ? 'problem' : 'algorithm',
    got: refused.map((entry) => `${entry.algorithm}: ${entry.reason}`).join('; '),
    expected: options.algorithm ?? 'one algorithm without a reason to refuse',
  });
}

function refusalOf<Problem>(
  algorithm: Algorithm<Problem>,
  problem: Problem,
  target: GpuCapabilities,
  options: KernelOptions,
): string | undefined {
  if (options.mode === 'deterministic' && algorithm.sums === 'transformed') {
    return 'the errors of its transforms are larger than deterministic mode allows';
  }
  if (options.algorithm === undefined) {
    return algorithm.impossible(problem, target) ?? algorithm.reject(problem, target, options);
  }
  if (algorithm.name !== options.algorithm) return `"${options.algorithm}" was asked for`;
  return algorithm.impossible(problem, target);
}
