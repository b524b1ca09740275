/** What the plans of squeeze-excite share: packing, tables of absent biases, cost and labels. */
import type { DispatchPlan, GpuCapabilities, OperandPacking, PassBinding, PlanTable } from '@onegpu/core';
import { activationLabel } from '../shared/activation.ts';
import { paddedChannels } from '../shared/layout.ts';
import { transposedPacking, vectorPacking } from '../shared/pack-matrix.ts';
import { pixelsOf, type SqueezeExciteProblem } from './problem.ts';
import type { ExciteSpec } from './stages.wgsl.ts';

export function exciteLabel(problem: SqueezeExciteProblem, algorithm: string): string {
  const { channels, hidden, outputs, hiddenActivation, activation } = problem;
  const steps = [hiddenActivation, activation].map(activationLabel).filter((text) => text !== '');
  return ['squeeze-excite', algorithm, 'f32', `${channels}x${hidden}x${outputs}`, ...steps].join('/');
}

export function excitePlan(
  problem: SqueezeExciteProblem,
  parts: Pick<DispatchPlan, 'algorithm' | 'passes' | 'scratch'>,
): DispatchPlan {
  const { batch, channels, hidden, outputs, squeezeBias, exciteBias } = problem;
  const weights = hidden * (channels + outputs);
  const packing: readonly OperandPacking[] = [
    transposedPacking('squeezeWeights', hidden, channels),
    transposedPacking('exciteWeights', outputs, hidden),
    ...(squeezeBias ? vectorPacking('squeezeBias', hidden) : []),
    ...(exciteBias ? vectorPacking('exciteBias', outputs) : []),
  ];
  const zeros = (operand: string, length: number): PlanTable => ({
    operand,
    data: new Float32Array(paddedChannels(length)),
  });
  return {
    operator: 'squeeze-excite',
    label: exciteLabel(problem, parts.algorithm),
    tables: [
      ...(squeezeBias ? [] : [zeros('squeezeBias', hidden)]),
      ...(exciteBias ? [] : [zeros('exciteBias', outputs)]),
    ],
    packing,
    cost: {
      flops: batch * (channels * pixelsOf(problem) + 2 * weights),
      bytes: 4 * (batch * (channels * pixelsOf(problem) + outputs) + weights),
    },
    ...parts,
  };
}

export function exciteSpec(problem: SqueezeExciteProblem, invocations: number): ExciteSpec {
  const { channels, hidden, outputs, hiddenActivation, activation } = problem;
  return { invocations, channels, hidden, outputs, hiddenActivation, activation };
}

export function readsOf(...operands: readonly string[]): readonly PassBinding[] {
  return operands.map((operand) => ({ operand, access: 'read' }));
}

/** The largest power of two of invocations that the device and `most` allow. */
export function invocationsOf({ limits }: GpuCapabilities, most: number): number {
  const allowed = Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX, most);
  return 2 ** Math.floor(Math.log2(allowed));
}

/** Reason against kernels that read packed weights, or that have something to sum. */
export function needsTerms(problem: SqueezeExciteProblem): string | undefined {
  const { channels, hidden, outputs, weightsConstant } = problem;
  if (!weightsConstant) return 'packs the weights on the host, and they are not constant';
  return channels * hidden * outputs * pixelsOf(problem) === 0 ? 'there are no terms to sum' : undefined;
}
