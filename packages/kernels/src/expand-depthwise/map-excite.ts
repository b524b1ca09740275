/**
 * Expansion, depthwise convolution and the squeeze-excite of its result in two dispatches: the first, a workgroup a
 * block of wide channels, leaves its channels' shares of the hidden sums beside dst; the second makes the factors.
 */
import { type DispatchPlan, type GpuCapabilities, GpuKernelShapeError } from '@onegpu/core';
import type { Algorithm, KernelOptions, Selection } from '../shared/algorithm.ts';
import { selectAlgorithm } from '../shared/algorithm.ts';
import { concatPlans, renameOperands } from '../shared/compose-plan.ts';
import { blockSpec, excitePass, tooWide } from '../squeeze-excite/channel-blocks.ts';
import { exciteLabel, excitePlan, hardwareOnly, needsTerms } from '../squeeze-excite/plan.ts';
import { pixelsOf, quadsOf, type SqueezeExciteProblem } from '../squeeze-excite/problem.ts';
import { planSqueezeExcite } from '../squeeze-excite/select.ts';
import type { ExpandDepthwiseProblem } from './problem.ts';
import { planExpandDepthwise } from './select.ts';
import { expandLabel, LARGE_TILE, mapRefusal, planMap, smallTile, TINY_TILE } from './whole-map.ts';
import { type MapTile, WHOLE_MAP_INVOCATIONS } from './whole-map.wgsl.ts';

export interface MapExciteProblem extends ExpandDepthwiseProblem {
  /** Its src is dst of the depthwise convolution. */
  readonly excite: SqueezeExciteProblem;
}

/** @throws GpuKernelShapeError where the squeeze-excite is of another picture. */
export function makeMapExciteProblem(
  { expand, depthwise }: ExpandDepthwiseProblem,
  excite: SqueezeExciteProblem,
): MapExciteProblem {
  const made = [depthwise.batch, depthwise.oc, depthwise.oh, depthwise.ow];
  const read = [excite.batch, excite.channels, excite.height, excite.width];
  if (String(made) === String(read)) return { expand, depthwise, excite };
  throw new GpuKernelShapeError('the shapes do not fit', {
    subject: 'MapExcite',
    field: 'excite',
    got: `[${read.join(', ')}]`,
    expected: `[${made.join(', ')}]`,
  });
}

const tinyMapExcite = mapExciteOf('tiny-map', () => TINY_TILE);
const smallMapExcite = mapExciteOf('small-map', smallTile);
const largeMapExcite = mapExciteOf('large-map', () => LARGE_TILE);

const separate: Algorithm<MapExciteProblem> = {
  name: 'separate',
  reject: () => undefined,
  impossible: () => undefined,
  plan: planSeparate,
};

export const MAP_EXCITE_ALGORITHMS: readonly Algorithm<MapExciteProblem>[] = [
  tinyMapExcite,
  smallMapExcite,
  largeMapExcite,
  separate,
];

/** Operands of both parts; `dst` and `factors` are written. */
export function planMapExcite(
  problem: MapExciteProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('MapExcite', MAP_EXCITE_ALGORITHMS, problem, target, options);
}

function mapExciteOf(
  name: string,
  tileOf: (problem: MapExciteProblem) => MapTile,
): Algorithm<MapExciteProblem> {
  return {
    name,
    reject: (_, target) => hardwareOnly(target),
    impossible: (problem, target) =>
      mapRefusal(problem, tileOf(problem), target) ??
      needsTerms(problem.excite) ??
      tooWide(problem.excite, target) ??
      tooManyHidden(problem.excite),
    plan: (problem, target) => planShares(problem, target, { name, tile: tileOf(problem) }),
  };
}

function tooManyHidden(excite: SqueezeExciteProblem): string | undefined {
  const { hidden } = quadsOf(excite);
  return hidden <= WHOLE_MAP_INVOCATIONS ? undefined : `${hidden} vec4 of hidden values for one workgroup`;
}

function planShares(
  problem: MapExciteProblem,
  target: GpuCapabilities,
  { name, tile }: { readonly name: string; readonly tile: MapTile },
): DispatchPlan {
  const { excite } = problem;
  const map = planMap(problem, target, { name, tile, hidden: excite.hidden });
  const blocks = Math.ceil(quadsOf(excite).src / tile.quads);
  const second = excitePass(excite, target, {
    spec: blockSpec(excite, target, blocks),
    params: Uint32Array.of(excite.batch, pixelsOf(excite), 1, pixelsOf(excite)),
    label: exciteLabel(excite, 'shares'),
  });
  const bytes = Math.max(16 * excite.batch * blocks * quadsOf(excite).hidden, 16);
  const scratch = [{ operand: 'shares', bytes }];
  const behind = renameOperands(excitePlan(excite, { algorithm: name, passes: [second], scratch }), {
    dst: 'factors',
  });
  return joined(problem, name, [map, { ...behind, passes: excite.batch === 0 ? [] : behind.passes }]);
}

function planSeparate(
  problem: MapExciteProblem,
  target: GpuCapabilities,
  { mode }: KernelOptions,
): DispatchPlan {
  const behind = renameOperands(planSqueezeExcite(problem.excite, target, { mode }).plan, {
    ...{ src: 'dst', dst: 'factors' },
  });
  return joined(problem, 'separate', [planExpandDepthwise(problem, target, { mode }).plan, behind]);
}

function joined(
  problem: MapExciteProblem,
  algorithm: string,
  plans: readonly [DispatchPlan, DispatchPlan],
): DispatchPlan {
  return {
    ...{ operator: 'map-excite', algorithm, label: expandLabel(problem, algorithm, 'map-excite') },
    ...concatPlans(plans),
    cost: {
      flops: plans[0].cost.flops + plans[1].cost.flops,
      bytes: plans[0].cost.bytes + plans[1].cost.bytes,
    },
  };
}
