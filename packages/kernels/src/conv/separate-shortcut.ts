/** A convolution and its shortcut as two convolutions, the result of the second in scratch: takes everything. */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import type { Algorithm, KernelOptions, Selection } from '../shared/algorithm.ts';
import { concatPlans, renameOperands } from '../shared/compose-plan.ts';
import { convCost, convLabel } from './plan.ts';
import { type ConvProblem, convDstElements } from './problem.ts';
import { shortcutConv } from './shortcut.ts';

const NAME = 'separate';

/** @param select chooses for each of the two */
export function separateShortcutOf(
  select: (problem: ConvProblem, target: GpuCapabilities, options: KernelOptions) => Selection,
): Algorithm<ConvProblem> {
  return {
    name: NAME,
    reject: () => undefined,
    impossible: () => undefined,
    plan: (problem, target, { mode }): DispatchPlan => {
      const { shortcut, epilogue } = problem;
      if (shortcut === undefined) throw new RangeError('planned a shortcut where there is none');
      const host = { ...problem, shortcut: undefined, epilogue: { ...epilogue, residual: true } };
      const parts = concatPlans([
        renameOperands(select(shortcutConv(problem, shortcut), target, { mode }).plan, {
          ...{ src: 'shortcutSrc', weights: 'shortcutWeights', dst: 'shortcut' },
          ...{ bias: 'shortcutBias', constants: 'shortcutConstants', scratch: 'shortcutScratch' },
        }),
        renameOperands(select(host, target, { mode }).plan, { residual: 'shortcut' }),
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
