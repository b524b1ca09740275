/**
 * Plan of a pair of transposed convolutions: one dispatch, what lies between them in registers. It reads weights without
 * workgroup memory, and saves writing and reading a map of kh * kw times the source's pixels.
 */
import { type DispatchPlan, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import { pixelShufflePacking } from '../conv-transpose/pack-weights.ts';
import { biasPacking, convTransposeCost, INVOCATIONS, tapCount } from '../conv-transpose/spec.ts';
import { activationLabel } from '../shared/activation.ts';
import { renameOperands } from '../shared/compose-plan.ts';
import { elementCount } from '../shared/layout.ts';
import { type PairSpec, pairWgsl } from './pair.wgsl.ts';
import type { ConvTransposePairProblem } from './problem.ts';

/** Up to this many vec4 between the convolutions registers hold them for four pixels an invocation, for two beyond. */
const QUADS_OF_FOUR_PIXELS = 8;

/** Operands `src` (nhwc4), `firstWeights`, `weights`, `firstBias` and `bias` where there are any, and `dst` (dense). */
export function planConvTransposePair(
  { first, second }: ConvTransposePairProblem,
  target: GpuCapabilities,
): DispatchPlan {
  const pixels = first.batch * first.vertical.input * first.horizontal.input;
  const spec: PairSpec = {
    ...{ ic: first.ic, mid: first.oc },
    ...{ kernel: [first.vertical.kernel, first.horizontal.kernel] },
    ...{ secondKernel: [second.vertical.kernel, second.horizontal.kernel] },
    ...{ firstBias: first.epilogue.bias, bias: second.epilogue.bias },
    ...{ hiddenActivation: first.epilogue.activation, activation: second.epilogue.activation },
    pixels: Math.ceil(first.oc / 4) <= QUADS_OF_FOUR_PIXELS ? 4 : 2,
  };
  const steps = [spec.hiddenActivation, spec.activation].map(activationLabel).filter((text) => text !== '');
  const label = ['conv-transpose-pair/taps/f32', `${spec.pixels}x${spec.mid}`, ...steps].join('/');
  const operands = [
    'src',
    'firstWeights',
    'weights',
    ...(spec.firstBias ? ['firstBias'] : []),
    ...(spec.bias ? ['bias'] : []),
  ];
  const parts = renameOperands(
    {
      ...{ passes: [], scratch: [], tables: [] },
      packing: [pixelShufflePacking(first), ...biasPacking(first)],
    },
    { weights: 'firstWeights', bias: 'firstBias' },
  );
  const costs = [first, second].map(convTransposeCost);
  return {
    operator: 'conv-transpose-pair',
    algorithm: 'taps',
    label,
    passes: [
      {
        label,
        wgsl: pairWgsl(spec),
        bindings: [
          ...operands.map((operand) => ({ operand, access: 'read' }) as const),
          { operand: 'dst', access: 'read_write' },
        ],
        params: Uint32Array.of(first.horizontal.input, pixels, 0, 0),
        workgroups: foldWorkgroups(
          Math.ceil(pixels / (spec.pixels * INVOCATIONS)) * tapCount(first),
          target.limits.maxComputeWorkgroupsPerDimension,
        ),
      },
    ],
    scratch: [],
    tables: [],
    packing: [...parts.packing, pixelShufflePacking(second)],
    cost: {
      flops: costs.reduce((sum, { flops }) => sum + flops, 0),
      bytes: 4 * (pixels * first.ic + elementCount(second.dstDims)),
    },
  };
}
