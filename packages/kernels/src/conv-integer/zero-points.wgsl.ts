/** Zero points as operands: which of them a kernel binds and how it reads them. */
import type { PassBinding } from '@onegpu/core';
import type { ConvIntegerProblem } from './problem.ts';

type ZeroPoints = Pick<ConvIntegerProblem, 'srcZeroPoint' | 'weightsZeroPoint' | 'oc'>;

export function zeroPointBindings({ srcZeroPoint, weightsZeroPoint }: ZeroPoints): readonly PassBinding[] {
  return [
    ...(srcZeroPoint ? [{ operand: 'srcZeroPoint', access: 'read' } as const] : []),
    ...(weightsZeroPoint === 'none' ? [] : [{ operand: 'weightsZeroPoint', access: 'read' } as const]),
  ];
}

/** `fn src_zero() -> i32`, `fn weights_zero(channel: u32) -> i32` and the bindings they read, from `first` on. */
export function zeroPointsWgsl({ srcZeroPoint, weightsZeroPoint, oc }: ZeroPoints, first: number): string {
  const second = srcZeroPoint ? first + 1 : first;
  const src = srcZeroPoint
    ? `@group(0) @binding(${first}) var<storage, read> src_zero_point: array<i32>;
fn src_zero() -> i32 { return src_zero_point[0]; }`
    : 'fn src_zero() -> i32 { return 0; }';
  if (weightsZeroPoint === 'none') return `${src}\nfn weights_zero(channel: u32) -> i32 { return 0; }`;
  const index = weightsZeroPoint === 'one' ? '0' : `min(channel, ${Math.max(oc - 1, 0)}u)`;
  return `${src}
@group(0) @binding(${second}) var<storage, read> weights_zero_point: array<i32>;
fn weights_zero(channel: u32) -> i32 { return weights_zero_point[${index}]; }`;
}
