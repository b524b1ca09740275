/**
 * A convolution and its shortcut as two convolutions, the result of the second in scratch. Takes everything; better than
 * one sum where the convolution alone has an algorithm that is no sum over k, Winograd's.
 */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import type { Algorithm, KernelOptions, Selection } from '../shared/algorithm.ts';
import { concatPlans, renameOperands } from '../shared/compose-plan.ts';
import { convCost, convLabel } from './plan.ts';
import { type ConvProblem, convDstElements } from './problem.ts';
import { shortcutConv } from './shortcut.ts';
import { winogradVariant } from './winograd.ts';

const NAME = 'separate';

/**
 * @param select chooses for each of the two
 * @param sums algorithms that take both in one sum
 */
export function separateShortcutOf(
  select: (problem: ConvProblem, target: GpuCapabilities, options: KernelOptions) => Selection,
  sums: readonly Algorithm<ConvProblem>[],
): Algorithm<ConvProblem> {
  return {
    name: NAME,
    reject: (problem, target, { mode }) => {
      if (target.software || sums.every((sum) => sum.impossible(problem, target) !== undefined)) return;
      const alone = select(hostOf(problem), target, { mode }).algorithm;
      if (winogradVariant(alone) !== undefined) return;
      return 'one sum of both sources is one dispatch less';
    },
    impossible: () => undefined,
    plan: (problem, target, { mode }): DispatchPlan => {
      const { shortcut } = problem;
      if (shortcut === undefined) throw new RangeError('planned a shortcut where there is none');
      const parts = concatPlans([
        renameOperands(select(shortcutConv(problem, shortcut), target, { mode }).plan, {
          ...{ src: 'shortcutSrc', weights: 'shortcutWeights', dst: 'shortcut' },
          ...{ bias: 'shortcutBias', constants: 'shortcutConstants', scratch: 'shortcutScratch' },
        }),
        renameOperands(select(hostOf(problem), target, { mode }).plan, { residual: 'shortcut' }),
      ]);
      const bytes = Math.max(4 * convDstElements(problem), 16);
      return {
        ...{ operator: 'conv', algorithm: NAME, label: convLabel(problem, NAME, '') },
        ...parts,
        scratch: [...parts.scratch, { operand: 'shortcut', bytes }],
        cost: convCost(problem),
      };
    },
  };
}

/** The convolution, the shortcut's result as its residual. */
function hostOf(problem: ConvProblem): ConvProblem {
  return { ...problem, shortcut: undefined, epilogue: { ...problem.epilogue, residual: true } };
}
