/**
 * Plans of a pair of transposed convolutions: one dispatch, what lies between them in workgroup memory (`tile`) or in
 * registers (`taps`, for long sums). Either saves writing and reading a map of kh * kw times the source's pixels.
 */
import { type DispatchPlan, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import { columnsPacking, pixelShufflePacking } from '../conv-transpose/pack-weights.ts';
import { biasPacking, convTransposeCost, INVOCATIONS, tapCount } from '../conv-transpose/spec.ts';
import { activationLabel } from '../shared/activation.ts';
import type { Algorithm, KernelOptions, Selection } from '../shared/algorithm.ts';
import { selectAlgorithm } from '../shared/algorithm.ts';
import { renameOperands } from '../shared/compose-plan.ts';
import { hardwareOnly } from '../shared/hardware-only.ts';
import { elementCount } from '../shared/layout.ts';
import { type PairShape, pairWgsl } from './pair.wgsl.ts';
import { MOST_TERMS, pairTile, pairTileWgsl } from './pair-tile.wgsl.ts';
import type { ConvTransposePairProblem } from './problem.ts';

/** Up to this many vec4 between the convolutions registers hold them for four pixels an invocation, for two beyond. */
const QUADS_OF_FOUR_PIXELS = 8;

const tile: Algorithm<ConvTransposePairProblem> = {
  name: 'tile',
  reject: (_, target) => hardwareOnly(target),
  impossible: ({ first }) => {
    if (first.ic === 0) return 'there are no terms to sum';
    return first.ic > MOST_TERMS ? `${first.ic} terms, written for ${MOST_TERMS} at most` : undefined;
  },
  plan: (problem, target) => {
    const { ic, oc } = problem.first;
    const { pixels, invocations } = pairTile(ic, oc);
    const wgsl = pairTileWgsl(shapeOf(problem));
    return pairPlan(problem, target, { name: 'tile', tile: `${pixels}x${oc}/${invocations}`, pixels, wgsl });
  },
};

const taps: Algorithm<ConvTransposePairProblem> = {
  name: 'taps',
  reject: () => undefined,
  impossible: () => undefined,
  plan: (problem, target) => {
    const pixels = Math.ceil(problem.first.oc / 4) <= QUADS_OF_FOUR_PIXELS ? 4 : 2;
    const wgsl = pairWgsl({ ...shapeOf(problem), pixels });
    return pairPlan(problem, target, {
      ...{ name: 'taps', tile: `${pixels}x${problem.first.oc}`, pixels: pixels * INVOCATIONS, wgsl },
    });
  },
};

export const CONV_TRANSPOSE_PAIR_ALGORITHMS: readonly Algorithm<ConvTransposePairProblem>[] = [tile, taps];

/** Operands `src` (nhwc4), `firstWeights`, `weights`, `firstBias` and `bias` where there are any, and `dst` (dense). */
export function planConvTransposePair(
  problem: ConvTransposePairProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('ConvTransposePair', CONV_TRANSPOSE_PAIR_ALGORITHMS, problem, target, options);
}

function shapeOf({ first, second }: ConvTransposePairProblem): PairShape {
  return {
    ...{ ic: first.ic, mid: first.oc },
    ...{ kernel: [first.vertical.kernel, first.horizontal.kernel] },
    ...{ secondKernel: [second.vertical.kernel, second.horizontal.kernel] },
    ...{ firstBias: first.epilogue.bias, bias: second.epilogue.bias },
    ...{ hiddenActivation: first.epilogue.activation, activation: second.epilogue.activation },
  };
}

interface PairKernel {
  readonly name: string;
  /** How the label names it. */
  readonly tile: string;
  /** Source pixels a workgroup makes, of one tap. */
  readonly pixels: number;
  readonly wgsl: string;
}

function pairPlan(
  { first, second }: ConvTransposePairProblem,
  target: GpuCapabilities,
  kernel: PairKernel,
): DispatchPlan {
  const pixels = first.batch * first.vertical.input * first.horizontal.input;
  const activations = [first.epilogue.activation, second.epilogue.activation];
  const steps = activations.map(activationLabel).filter((text) => text !== '');
  const label = ['conv-transpose-pair', kernel.name, 'f32', kernel.tile, ...steps].join('/');
  const operands = [
    ...['src', 'firstWeights', 'weights'],
    ...(first.epilogue.bias ? ['firstBias'] : []),
    ...(second.epilogue.bias ? ['bias'] : []),
  ];
  const parts = renameOperands(
    {
      ...{ passes: [], scratch: [], tables: [] },
      packing: [columnsPacking(first), ...biasPacking(first)],
    },
    { weights: 'firstWeights', bias: 'firstBias' },
  );
  const costs = [first, second].map(convTransposeCost);
  return {
    operator: 'conv-transpose-pair',
    algorithm: kernel.name,
    label,
    passes: [
      {
        ...{ label, wgsl: kernel.wgsl },
        bindings: [
          ...operands.map((operand) => ({ operand, access: 'read' }) as const),
          { operand: 'dst', access: 'read_write' },
        ],
        params: Uint32Array.of(first.horizontal.input, pixels, 0, 0),
        workgroups: foldWorkgroups(
          Math.ceil(pixels / kernel.pixels) * tapCount(first),
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
