/** A convolution of planes after a change of their layout into scratch: takes everything. */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { planConvertLayout } from '../move/convert-layout.ts';
import type { Algorithm, KernelOptions, Selection } from '../shared/algorithm.ts';
import { concatPlans, renameOperands } from '../shared/compose-plan.ts';
import { layoutElements } from '../shared/layout.ts';
import { convCost, convLabel } from './plan.ts';
import type { ConvProblem } from './problem.ts';

const NAME = 'converted';

/** @param select chooses for the convolution */
export function convertedPlanesOf(
  select: (problem: ConvProblem, target: GpuCapabilities, options: KernelOptions) => Selection,
): Algorithm<ConvProblem> {
  return {
    name: NAME,
    reject: () => undefined,
    impossible: () => undefined,
    plan: (problem, target, { mode }): DispatchPlan => {
      const { batch, ic, ih, iw } = problem;
      const dims = [batch, ic, ih, iw];
      const conversion = planConvertLayout({ dims, to: 'nhwc4' }, target);
      const parts = concatPlans([
        renameOperands(
          {
            ...conversion,
            // Scratch holds float32, whatever the planes are.
            passes: conversion.passes.map((pass) => ({
              ...pass,
              bindings: pass.bindings.map((binding) => ({ ...binding, bits: 'float32' as const })),
            })),
          },
          { dst: 'packed' },
        ),
        renameOperands(select({ ...problem, planes: false }, target, { mode }).plan, { src: 'packed' }),
      ]);
      const bytes = Math.max(4 * layoutElements(dims, 'nhwc4'), 16);
      return {
        ...{ operator: 'conv', algorithm: NAME, label: convLabel(problem, NAME, '') },
        ...parts,
        scratch: [...parts.scratch, { operand: 'packed', bytes }],
        cost: convCost(problem),
      };
    },
  };
}
