/**
 * What the random tests of operators share: how many problems, from which seed, and which algorithms had their turn.
 * `npm test` takes a few from a fixed seed; `npm run sweep -- FAMILY --seed N --runs N` says both through
 * ONEGPU_SWEEP_SEED and ONEGPU_SWEEP_RUNS.
 */
import { testDevice } from '@onegpu/testing';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Algorithm } from '../src/shared/algorithm.ts';
import type { FloatStorage } from './check-sums.ts';

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

/** Whether a sweep was asked for that is large enough to take everything. */
export function wholeSweep(): boolean {
  return (RUNS ?? 0) >= WHOLE_SWEEP;
}

/** What float operands are stored as, one run in four as float16. */
export const FLOAT_STORAGES: readonly FloatStorage[] = ['float32', 'float32', 'float32', 'float16'];

/** Counts the runs of every algorithm, those over float16 apart. */
export class Coverage {
  readonly #family: string;
  readonly #runs = new Map<string, { all: number; half: number }>();

  constructor(family: string) {
    this.#family = family;
  }

  /** An algorithm that must have its turn. */
  expect(algorithm: string): void {
    if (!this.#runs.has(algorithm)) this.#runs.set(algorithm, { all: 0, half: 0 });
  }

  add(algorithm: string, storage: FloatStorage = 'float32'): void {
    const { all, half } = this.#runs.get(algorithm) ?? { all: 0, half: 0 };
    this.#runs.set(algorithm, { all: all + 1, half: half + (storage === 'float16' ? 1 : 0) });
  }

  /** Fails where an algorithm that was expected never ran, or in a whole sweep where it ran fewer than 30 times. */
  report(): void {
    if (RUNS !== undefined) {
      const rows = [...this.#runs].map(([name, { all, half }]) => {
        const halves = half === 0 ? '' : `, ${half} of them over float16`;
        return `  ${name.padEnd(20)} ${String(all).padStart(6)}${halves}`;
      });
      console.log([`runs of ${this.#family}`, ...rows].join('\n'));
    }
    const least = wholeSweep() ? LEAST_RUNS : 1;
    const short = [...this.#runs].filter(([, { all }]) => all < least).map(([name]) => name);
    expect(short, `algorithms with fewer than ${least} runs`).toEqual([]);
  }
}

export interface SweptFamily<Problem> {
  readonly name: string;
  readonly algorithms: readonly Algorithm<Problem>[];
  readonly problems: fc.Arbitrary<Problem>;
  /** Drawn from for each run; by default float32 alone. */
  readonly storages?: readonly FloatStorage[];
  /** Of an ordinary test, all algorithms together. */
  readonly runs: number;
  readonly seed: number;
  readonly check: (problem: Problem, entry: Algorithm<Problem>, storage: FloatStorage) => Promise<void>;
}

/**
 * One test an algorithm, of problems that it can take; each gets an equal share of the runs, and at least 30 in a
 * whole sweep. A failure names the seed and the smallest problem that fails.
 */
export function describeSweep<Problem>(family: SweptFamily<Problem>): void {
  const { name, algorithms, problems, storages = ['float32'], check } = family;
  const { numRuns, seed } = sweepParameters(family);
  const share = Math.ceil(numRuns / algorithms.length);
  describe(`random problems of ${name}`, () => {
    const coverage = new Coverage(name);
    it.each(algorithms.map((entry) => [entry.name, entry] as const))(
      '%s',
      async (algorithm, entry) => {
        coverage.expect(algorithm);
        const { capabilities } = await testDevice();
        const taken = problems.filter((problem) => entry.impossible(problem, capabilities) === undefined);
        const property = fc.asyncProperty(taken, fc.constantFrom(...storages), async (problem, storage) => {
          await check(problem, entry, storage);
          coverage.add(algorithm, storage);
        });
        await fc.assert(property, { numRuns: wholeSweep() ? Math.max(share, LEAST_RUNS) : share, seed });
      },
      SWEEP_TIMEOUT,
    );
    afterAll(() => coverage.report());
  });
}

function numberFrom(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`${variable} is ${text}, not a whole number`);
  return value;
}
