/**
 * Algorithm `padding-only`: a source without elements whose padding still holds windows. Every output is what its
 * operation makes of no elements; a divisor that counts padding gives 0.
 */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { CONSTANT_FILL_WGSL } from '../reduce/constant-fill.wgsl.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { poolBinding } from './direct.ts';
import { poolLabel, poolPlan } from './label.ts';
import { LOWEST_BITS, type PoolProblem } from './problem.ts';
import { volumeElements } from './volume.ts';

export const PADDING_ONLY: Algorithm<PoolProblem> = {
  name: 'padding-only',
  impossible: ({ src, dst }) =>
    volumeElements(src) === 0 && volumeElements(dst) > 0 ? undefined : 'the source has elements',
  reject: () => undefined,
  plan: planPaddingOnly,
};

function planPaddingOnly(problem: PoolProblem, target: GpuCapabilities): DispatchPlan {
  const { dst, channels, element, indices } = problem;
  const label = poolLabel(problem, PADDING_ONLY.name);
  const total = volumeElements(dst) * dst.lanes;
  const fill = (words: number, rows: { bits: number; channels: number; stored: number }) => ({
    label,
    wgsl: CONSTANT_FILL_WGSL,
    params: Uint32Array.of(words, rows.bits, rows.channels, rows.stored),
    workgroups: flatWorkgroups(words, target),
  });
  const stored = dst.lanes === 4 ? dst.inner * 4 : 1;
  const values = { bits: emptyBits(problem), channels: dst.lanes === 4 ? channels : 1, stored };
  return poolPlan(problem, PADDING_ONLY.name, [
    { ...fill(total, values), bindings: [poolBinding('dst', 'read_write', element)] },
    ...(indices === undefined
      ? []
      : [
          {
            ...fill(2 * total, { bits: 0xffffffff, channels: 1, stored: 1 }),
            bindings: [{ operand: 'indices', access: 'read_write' as const }],
          },
        ]),
  ]);
}

function emptyBits({ operation, element, countIncludePad }: PoolProblem): number {
  if (operation === 'average') return countIncludePad ? 0 : 0x7fc00000;
  if (operation === 'lp') return 0;
  return LOWEST_BITS[element];
}
