/** Algorithms of integer convolution, in order of preference. */
import { defaultCapabilities, type GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import type { Layout } from '../shared/layout.ts';
import { DEPTHWISE_CONV_INTEGER } from './depthwise.ts';
import { DIRECT_CONV_INTEGER } from './direct.ts';
import { PACKED_DOT } from './packed-dot.ts';
import type { ConvIntegerProblem } from './problem.ts';

export const CONV_INTEGER_ALGORITHMS: readonly Algorithm<ConvIntegerProblem>[] = [
  DEPTHWISE_CONV_INTEGER,
  PACKED_DOT,
  DIRECT_CONV_INTEGER,
];

/**
 * Operands `src`, `weights`, `srcZeroPoint` and `weightsZeroPoint` where the problem has them, and `dst` (int32);
 * src and dst in the problem's layout.
 */
export function planConvInteger(
  problem: ConvIntegerProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('ConvInteger', CONV_INTEGER_ALGORITHMS, problem, target, options);
}

/** The layout with the better algorithms: channels last where one of them takes the problem there. */
export function convIntegerLayout(problem: ConvIntegerProblem): Layout {
  const last = { ...problem, layout: 'nhwc4' } as const;
  const target = defaultCapabilities();
  const taken = CONV_INTEGER_ALGORITHMS.some((entry) => entry.impossible(last, target) === undefined);
  return taken ? 'nhwc4' : 'nchw';
}
