/**
 * One layer as an autotuner sees it: a key that equal layers share, the ways to run it that are worth a timing, and
 * the plan of each. Which of them is quickest on an adapter is measured elsewhere; nothing here looks at a clock.
 */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { type Algorithm, selectAlgorithm } from './algorithm.ts';

/** How to run a layer: an algorithm, and one of its configurations where it has several. */
export interface LayerChoice {
  readonly algorithm: string;
  readonly configuration?: string;
}

export interface TunableLayer {
  /**
   * Operator, extents, channels, taps, strides, epilogue, layout: every field of the problem, so that two layers of one
   * key are the same work. The element type is not among them.
   */
  readonly key: string;
  /** What the rules choose comes first; each choice once. */
  choices(): readonly LayerChoice[];
  /** @throws GpuKernelShapeError for what is no choice of this layer */
  plan(choice: LayerChoice): DispatchPlan;
}

/** Configurations tried of the algorithm that the rules choose, and of every other one. */
const CONFIGURATIONS = 10;
const OTHER_CONFIGURATIONS = 6;
/** A software adapter takes tenths of a second for a layer. */
const SOFTWARE_CHOICES = 3;

/** @param problem plain data, as `makeXProblem` gives it */
export function tunableLayer<Problem extends object>(
  operator: string,
  algorithms: readonly Algorithm<Problem>[],
  problem: Problem,
  target: GpuCapabilities,
): TunableLayer {
  let key: string | undefined;
  let choices: readonly LayerChoice[] | undefined;
  return {
    get key() {
      key ??= layerKey(operator, problem);
      return key;
    },
    choices() {
      choices ??= layerChoices(operator, algorithms, problem, target);
      return choices;
    },
    plan: (choice) =>
      selectAlgorithm(operator, algorithms, problem, target, { mode: 'fast', ...choice }).plan,
  };
}

function layerKey(operator: string, problem: object): string {
  const fields = Object.entries(problem)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, value]) => `${field}=${(JSON.stringify(value) ?? 'none').replaceAll('"', '')}`);
  return [operator, ...fields].join(' ');
}

function layerChoices<Problem>(
  operator: string,
  algorithms: readonly Algorithm<Problem>[],
  problem: Problem,
  target: GpuCapabilities,
): readonly LayerChoice[] {
  const options = { mode: 'fast' } as const;
  const chosen = selectAlgorithm(operator, algorithms, problem, target, options).algorithm;
  const possible = algorithms.filter((algorithm) => algorithm.impossible(problem, target) === undefined);
  if (target.software) {
    // Barriers and long texts make what it rejects slow to run and slow to compile.
    const taken = possible.filter((algorithm) => algorithm.reject(problem, target, options) === undefined);
    return chosenFirst(taken, chosen)
      .slice(0, SOFTWARE_CHOICES)
      .map(({ name }) => ({ algorithm: name }));
  }
  return chosenFirst(possible, chosen).flatMap((algorithm) => {
    const most = algorithm.name === chosen ? CONFIGURATIONS : OTHER_CONFIGURATIONS;
    const names = algorithm.configurations?.(problem, target).slice(0, most);
    if (names === undefined) return [{ algorithm: algorithm.name }];
    return names.map((configuration) => ({ algorithm: algorithm.name, configuration }));
  });
}

function chosenFirst<Problem>(
  algorithms: readonly Algorithm<Problem>[],
  chosen: string,
): readonly Algorithm<Problem>[] {
  const first = algorithms.filter(({ name }) => name === chosen);
  return [...first, ...algorithms.filter(({ name }) => name !== chosen)];
}
