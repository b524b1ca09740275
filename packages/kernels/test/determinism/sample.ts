/**
 * What the determinism test runs: a problem of an operator under one of its algorithms, with operands. Random floats:
 * integers would hide an order of summation that varies.
 */
import {
  type DispatchPlan,
  defaultCapabilities,
  type GpuCapabilities,
  type GpuElementType,
  type OperandArray,
  storeNarrow,
} from '@onegpu/core';
import { type OutputSpec, randomFill } from '@onegpu/testing';
import type { Algorithm, KernelOptions } from '../../src/shared/algorithm.ts';
import { elementCount } from '../../src/shared/layout.ts';

export interface DeterminismSample {
  /** Folder of the operator. */
  readonly family: string;
  /** Empty for operators that have a single plan. */
  readonly algorithm: string;
  readonly name: string;
  plan(target: GpuCapabilities, scratchBytes?: number): DispatchPlan;
  readonly inputs: Readonly<Record<string, OperandArray>>;
  readonly outputs: Readonly<Record<string, number | OutputSpec>>;
}

/** Names of an operator's algorithms, each of which must have a sample, after its folder. */
export type ListedAlgorithms = readonly [string, readonly { readonly name: string }[]];

type Operands = Pick<DeterminismSample, 'inputs' | 'outputs'>;

const LIMITS = defaultCapabilities({ software: true });

/** Random inputs of these extents, `dst` of that many elements. */
export function floats(inputs: Readonly<Record<string, readonly number[]>>, dst: number): Operands {
  const filled = Object.entries(inputs).map(([name, dims], index) => [
    name,
    randomFill(elementCount(dims), index + 1),
  ]);
  return { inputs: Object.fromEntries(filled), outputs: { dst } };
}

/** A sample for each algorithm that takes the problem. */
export function each<Problem>(
  family: string,
  algorithms: readonly Algorithm<Problem>[],
  problem: Problem,
  operands: Operands & { readonly narrow?: Readonly<Record<string, GpuElementType>> },
): DeterminismSample[] {
  const { narrow, inputs, outputs } = operands;
  const options: KernelOptions = { mode: 'deterministic' };
  return algorithms
    .filter((entry) => entry.impossible(problem, LIMITS) === undefined)
    .map((entry) => ({
      ...{ family, algorithm: entry.name, name: `${family}/${entry.name}`, inputs, outputs },
      plan: (target, scratchBytes) => {
        const plan = entry.plan(problem, target, { ...options, scratchBytes });
        return narrow === undefined ? plan : storeNarrow(plan, narrow, target);
      },
    }));
}

/** A sample of an operator with one plan. */
export function single(
  family: string,
  name: string,
  plan: DeterminismSample['plan'],
  operands: Operands,
): DeterminismSample {
  return { family, algorithm: '', name: `${family}/${name}`, plan, ...operands };
}
