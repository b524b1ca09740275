/** Several plans as one: operands renamed, results between them in scratch. */
import type { DispatchPass, DispatchPlan } from '@onegpu/core';

/** The plan with other names for its operands. */
export function renameOperands(plan: DispatchPlan, names: Readonly<Record<string, string>>): DispatchPlan {
  const rename = <T extends { readonly operand: string }>(entry: T): T => ({
    ...entry,
    operand: names[entry.operand] ?? entry.operand,
  });
  const passes = plan.passes.map((pass): DispatchPass => ({ ...pass, bindings: pass.bindings.map(rename) }));
  return { ...plan, passes, packing: plan.packing.map(rename) };
}

/** The plans one after the other; scratch operand `partialI` takes `scratchBytes[I]` bytes, none for zero. */
export function joinPlans(plans: readonly DispatchPlan[], scratchBytes: readonly number[]): DispatchPlan {
  const [first] = plans as readonly [DispatchPlan, ...DispatchPlan[]];
  return {
    ...first,
    passes: plans.flatMap((plan) => plan.passes),
    packing: plans.flatMap((plan) => plan.packing),
    scratch: scratchBytes.flatMap((bytes, index) =>
      bytes === 0 ? [] : [{ operand: `partial${index}`, bytes }],
    ),
    cost: {
      flops: plans.reduce((sum, plan) => sum + plan.cost.flops, 0),
      bytes: plans.reduce((sum, plan) => sum + plan.cost.bytes, 0),
    },
  };
}
