/** Squeeze-excite as a mean and two convolutions over one pixel: takes everything, and needs no barriers. */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { type ConvProblem, makeConvProblem } from '../conv/problem.ts';
import { selectConv } from '../conv/select.ts';
import { makeReduceProblem } from '../reduce/problem.ts';
import { planReduce } from '../reduce/select.ts';
import type { Activation } from '../shared/activation.ts';
import type { Algorithm, KernelOptions } from '../shared/algorithm.ts';
import { concatPlans, renameOperands } from '../shared/compose-plan.ts';
import { layoutElements } from '../shared/layout.ts';
import { excitePlan } from './plan.ts';
import type { SqueezeExciteProblem } from './problem.ts';

const NAME = 'separate';

export const separate: Algorithm<SqueezeExciteProblem> = {
  name: NAME,
  reject: () => undefined,
  impossible: () => undefined,
  plan: planSeparate,
};

function planSeparate(
  problem: SqueezeExciteProblem,
  target: GpuCapabilities,
  { mode }: KernelOptions,
): DispatchPlan {
  const { batch, channels, height, width, hidden, outputs } = problem;
  const mean = makeReduceProblem({
    ...{ operation: 'mean', dims: [batch, channels, height, width], axes: [2, 3], keepDims: true },
    layout: 'nhwc4',
  });
  const squeeze = productOf(problem, {
    ic: channels,
    oc: hidden,
    bias: problem.squeezeBias,
    activation: problem.hiddenActivation,
  });
  const excite = productOf(problem, {
    ic: hidden,
    oc: outputs,
    bias: problem.exciteBias,
    activation: problem.activation,
  });
  const parts = concatPlans([
    renameOperands(planReduce(mean, target, { mode }).plan, { dst: 'means' }),
    renameOperands(selectConv(squeeze, target, { mode }).plan, {
      ...{ src: 'means', dst: 'hidden', weights: 'squeezeWeights', bias: 'squeezeBias' },
      ...{ constants: 'squeezeConstants', scratch: 'squeezeScratch' },
    }),
    renameOperands(selectConv(excite, target, { mode }).plan, {
      ...{ src: 'hidden', weights: 'exciteWeights', bias: 'exciteBias' },
      ...{ constants: 'exciteConstants', scratch: 'exciteScratch' },
    }),
  ]);
  const bytes = (extent: number): number => Math.max(4 * layoutElements([batch, extent, 1, 1], 'nhwc4'), 16);
  const scratch = [
    ...parts.scratch,
    { operand: 'means', bytes: bytes(channels) },
    { operand: 'hidden', bytes: bytes(hidden) },
  ];
  return { ...excitePlan(problem, { algorithm: NAME, passes: parts.passes, scratch }), ...parts, scratch };
}

function productOf(
  { batch, weightsConstant }: SqueezeExciteProblem,
  { ic, oc, bias, activation }: { ic: number; oc: number; bias: boolean; activation: readonly Activation[] },
): ConvProblem {
  return makeConvProblem({
    src: [batch, ic, 1, 1],
    weights: [oc, ic, 1, 1],
    layout: 'nhwc4',
    epilogue: { bias, residual: false, activation },
    weightsConstant,
  });
}
