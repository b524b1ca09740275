/**
 * Expansion, depthwise convolution and the squeeze-excite of its result in two dispatches: the first, a workgroup a
 * band of rows and a block of wide channels, leaves its shares of the hidden sums beside dst; the second makes the factors.
 */
import { type DispatchPlan, type GpuCapabilities, GpuKernelShapeError } from '@onegpu/core';
import type { Algorithm, KernelOptions, Selection } from '../shared/algorithm.ts';
import { selectAlgorithm } from '../shared/algorithm.ts';
import { concatPlans, renameOperands } from '../shared/compose-plan.ts';
import { hardwareOnly } from '../shared/hardware-only.ts';
import { behindSpec, excitePass, tooWide } from '../squeeze-excite/channel-blocks.ts';
import { exciteLabel, excitePlan, needsTerms } from '../squeeze-excite/plan.ts';
import { pixelsOf, quadsOf, type SqueezeExciteProblem } from '../squeeze-excite/problem.ts';
import { planSqueezeExcite } from '../squeeze-excite/select.ts';
import { expandLabel, MAP_BANDS, mapRefusal, noLayout, planMap } from './map-bands.ts';
import { notWorthwhile } from './map-rule.ts';
import { layoutOf, type WantedLayout } from './map-tile.ts';
import type { ExpandDepthwiseProblem } from './problem.ts';
import { planExpandDepthwise } from './select.ts';

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

const separate: Algorithm<MapExciteProblem> = {
  name: 'separate',
  reject: () => undefined,
  impossible: () => undefined,
  plan: planSeparate,
};

export const MAP_EXCITE_ALGORITHMS: readonly Algorithm<MapExciteProblem>[] = [
  mapExciteOf(MAP_BANDS),
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

/** With a layout of one's own; tests and measurements name what they want of it. */
export function mapExciteOf(name: string, wanted: WantedLayout = {}): Algorithm<MapExciteProblem> {
  return {
    name,
    reject: (problem, target) =>
      hardwareOnly(target) ?? notWorthwhile(problem, target, problem.excite.hidden),
    impossible: (problem, target) =>
      mapRefusal(problem, target, { hidden: problem.excite.hidden, wanted }) ??
      needsTerms(problem.excite) ??
      tooWide(problem.excite, target),
    plan: (problem, target) => planShares(problem, target, { name, wanted }),
  };
}

function planShares(
  problem: MapExciteProblem,
  target: GpuCapabilities,
  { name, wanted }: { readonly name: string; readonly wanted: WantedLayout },
): DispatchPlan {
  const { excite } = problem;
  const layout = layoutOf(problem, target.limits, { hidden: excite.hidden, wanted });
  if (layout === undefined) throw noLayout(problem);
  const { bands, blocks } = layout;
  const map = planMap(problem, { name, layout, hidden: excite.hidden });
  const second = excitePass(excite, target, {
    spec: behindSpec(excite, target, { slices: bands, srcBlocks: blocks }),
    params: Uint32Array.of(excite.batch, pixelsOf(excite), bands, pixelsOf(excite)),
    label: exciteLabel(excite, 'shares'),
  });
  const bytes = Math.max(16 * excite.batch * bands * blocks * quadsOf(excite).hidden, 16);
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
