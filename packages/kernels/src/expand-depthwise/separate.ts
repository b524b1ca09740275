/** Expansion and depthwise convolution as two convolutions, what lies between them in scratch: takes everything. */
import { selectConv } from '../conv/select.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { concatPlans, renameOperands } from '../shared/compose-plan.ts';
import { layoutElements } from '../shared/layout.ts';
import { expandCost, expandLabel } from './map-bands.ts';
import type { ExpandDepthwiseProblem } from './problem.ts';

const NAME = 'separate';

export const separate: Algorithm<ExpandDepthwiseProblem> = {
  name: NAME,
  reject: () => undefined,
  impossible: () => undefined,
  plan: (problem, target, { mode }) => {
    const { expand, depthwise } = problem;
    const { batch, oc, oh, ow } = expand;
    const parts = concatPlans([
      renameOperands(selectConv(expand, target, { mode }).plan, {
        ...{ dst: 'wide', weights: 'expandWeights', bias: 'expandBias' },
        ...{ constants: 'expandConstants', scratch: 'expandScratch' },
      }),
      renameOperands(selectConv(depthwise, target, { mode }).plan, { src: 'wide' }),
    ]);
    const bytes = Math.max(4 * layoutElements([batch, oc, oh, ow], 'nhwc4'), 16);
    return {
      ...{ operator: 'expand-depthwise', algorithm: NAME, label: expandLabel(problem, NAME) },
      ...parts,
      scratch: [...parts.scratch, { operand: 'wide', bytes }],
      cost: expandCost(problem),
    };
  },
};
