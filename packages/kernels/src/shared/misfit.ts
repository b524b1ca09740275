/** What problems refuse: arguments that do not fit the operator or each other. */
import { GpuKernelShapeError } from '@onegpu/core';

/** Extents are written as lists, `[1, 3, 224, 224]`. */
type Fact = string | number | readonly number[];

export function misfit(subject: string, field: string, got: Fact, expected: Fact): GpuKernelShapeError {
  const details = { subject, field, got: factText(got), expected: factText(expected) };
  return new GpuKernelShapeError('the shapes or attributes do not fit', details);
}

/** An axis as 0 .. rank - 1; a negative one counts from the end. @throws GpuKernelShapeError out of range. */
export function resolveAxis(operator: string, axis: number, rank: number): number {
  const positive = axis < 0 ? axis + rank : axis;
  if (Number.isInteger(positive) && positive >= 0 && positive < rank) return positive;
  throw misfit(operator, 'axis', axis, `-${rank} to ${rank - 1}`);
}

function factText(fact: Fact): string {
  return typeof fact === 'object' ? `[${fact.join(', ')}]` : String(fact);
}
