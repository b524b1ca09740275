/** Plans made of other plans: their passes one after the other, the result of one being scratch of the whole. */
import type { DispatchPlan } from '@onegpu/core';

type Part = Pick<DispatchPlan, 'passes' | 'scratch' | 'tables' | 'packing'>;

/** The same plan with operands, scratch and tables under other names; names that are not listed stay. */
export function renameOperands<P extends Part>(plan: P, names: Readonly<Record<string, string>>): P {
  const renamed = <T extends { readonly operand: string }>(entry: T): T => ({
    ...entry,
    operand: names[entry.operand] ?? entry.operand,
  });
  return {
    ...plan,
    passes: plan.passes.map((pass) => ({ ...pass, bindings: pass.bindings.map(renamed) })),
    scratch: plan.scratch.map(renamed),
    tables: plan.tables.map(renamed),
    packing: plan.packing.map(renamed),
  };
}

/** The parts in order; each has names of its own for its scratch and tables. */
export function concatPlans(parts: readonly Part[]): Part {
  return {
    passes: parts.flatMap((part) => part.passes),
    scratch: parts.flatMap((part) => part.scratch),
    tables: parts.flatMap((part) => part.tables),
    packing: parts.flatMap((part) => part.packing),
  };
}
