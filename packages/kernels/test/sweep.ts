/**
 * What the random tests of operators share: how many problems, from which seed, and which algorithms had their turn.
 * `npm test` takes a few from a fixed seed; `npm run sweep -- FAMILY --seed N --runs N` says both through
 * ONEGPU_SWEEP_SEED and ONEGPU_SWEEP_RUNS.
 */
import type { GpuCapabilities } from '@onegpu/core';
import { testDevice } from '@onegpu/testing';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Algorithm } from '../src/shared/algorithm.ts';

const RUNS = numberFrom('ONEGPU_SWEEP_RUNS');
const SEED = numberFrom('ONEGPU_SWEEP_SEED');

/** Problems from which on a sweep must give every algorithm its share. */
const WHOLE_SWEEP = 300;
const LEAST_RUNS = 30;

/** Milliseconds a test may take. */
export const SWEEP_TIMEOUT = RUNS === undefined ? 600_000 : 7_200_000;

/** The parameters of `fc.assert`: what the sweep asks for, or the few problems of an ordinary test. */
export function sweepParameters(ordinary: { runs: number; seed: number }): { numRuns: number; seed: number } {
  return { numRuns: RUNS ?? ordinary.runs, seed: SEED ?? ordinary.seed };
}

/** Counts the runs of every algorithm. */
export class Coverage {
  readonly #family: string;
  readonly #runs: Map<string, number>;

  constructor(family: string, algorithms: readonly { readonly name: string }[]) {
    this.#family = family;
    this.#runs = new Map(algorithms.map(({ name }) => [name, 0]));
  }

  add(algorithm: string): void {
    this.#runs.set(algorithm, (this.#runs.get(algorithm) ?? 0) + 1);
  }

  /** Fails where an algorithm never ran, or in a whole sweep where it ran fewer than 30 times. */
  report(): void {
    if (RUNS !== undefined) {
      const rows = [...this.#runs].map(
        ([name, count]) => `  ${name.padEnd(20)} ${String(count).padStart(6)}`,
      );
      console.log([`runs of ${this.#family}`, ...rows].join('\n'));
    }
    const least = (RUNS ?? 0) >= WHOLE_SWEEP ? LEAST_RUNS : 1;
    const short = [...this.#runs].filter(([, count]) => count < least).map(([name]) => name);
    expect(short, `algorithms with fewer than ${least} runs`).toEqual([]);
  }
}

export interface SweptFamily<Problem> {
  readonly name: string;
  readonly algorithms: readonly Algorithm<Problem>[];
  readonly problems: fc.Arbitrary<Problem>;
  /** Of an ordinary test, all algorithms together. */
  readonly runs: number;
  readonly seed: number;
  readonly check: (problem: Problem, entry: Algorithm<Problem>) => Promise<void>;
}

/**
 * One test an algorithm, of problems that it can take; each gets an equal share of the runs, and at least 30 in a
 * whole sweep. A failure names the seed and the smallest problem that fails.
 */
export function describeSweep<Problem>(family: SweptFamily<Problem>): void {
  const { name, algorithms, problems, check } = family;
  const { numRuns, seed } = sweepParameters(family);
  const share = Math.ceil(numRuns / algorithms.length);
  const whole = numRuns >= WHOLE_SWEEP;
  describe(`random problems of ${name}`, () => {
    const coverage = new Coverage(name, algorithms);
    it.each(algorithms.map((entry) => [entry.name, entry] as const))(
      '%s',
      async (algorithm, entry) => {
        const { capabilities } = await testDevice();
        const taken = problems.filter((problem) => takes(entry, problem, capabilities));
        const property = fc.asyncProperty(taken, async (problem) => {
          await check(problem, entry);
          coverage.add(algorithm);
        });
        await fc.assert(property, { numRuns: whole ? Math.max(share, LEAST_RUNS) : share, seed });
      },
      SWEEP_TIMEOUT,
    );
    afterAll(() => coverage.report());
  });
}

function takes<Problem>(entry: Algorithm<Problem>, problem: Problem, target: GpuCapabilities): boolean {
  return entry.impossible(problem, target) === undefined;
}

function numberFrom(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`${variable} is ${text}, not a whole number`);
  return value;
}
