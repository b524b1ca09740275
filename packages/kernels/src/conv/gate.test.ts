/** Gated convolutions: src times a factor an image and channel, by every algorithm that reads a gate. */
import { defaultCapabilities } from '@onegpu/core';
import { expectEqual, integerFill, runPlan, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referenceConv } from '../reference/conv.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { type Layout, layoutElements, packNhwc4, unpackNhwc4 } from '../shared/layout.ts';
import { implicitGemmOf } from './implicit-gemm.ts';
import { type ConvProblem, type ConvRequest, convTerms, makeConvProblem } from './problem.ts';
import { convAlgorithms, selectConv } from './select.ts';

const BIAS = { bias: true, residual: false, activation: [] };

function request(src: readonly number[], weights: readonly number[], rest: Partial<ConvRequest> = {}) {
  return { src, weights, epilogue: BIAS, weightsConstant: true, gate: true, ...rest };
}

const CASES = {
  '1x1 stride 2': request([3, 19, 7, 5], [13, 19, 1, 1], { strides: [2, 2] }),
  '3x3 with pads': request([2, 6, 5, 7], [10, 6, 3, 3], { pads: [1, 1, 1, 1] }),
  '2 groups': request([2, 8, 5, 3], [16, 4, 1, 1], { groups: 2 }),
} as const;

const TILE = { tileM: 8, tileN: 8, tileK: 8, slices: 1, cell: { rows: 4, columns: 1 } };
const TESTED: readonly Algorithm<ConvProblem>[] = [
  ...convAlgorithms.filter(({ name }) => /^(single-pixel|register-tile|direct)$/.test(name)),
  implicitGemmOf('implicit-gemm twin', () => [{ tile: TILE, splits: 1 }]),
  implicitGemmOf('split-k twin', () => [{ tile: { ...TILE, slices: 2 }, splits: 2 }]),
];

async function run(problem: ConvProblem, algorithm: Algorithm<ConvProblem>): Promise<void> {
  const { batch, ic, ih, iw, oc, oh, ow } = problem;
  const src = integerFill(batch * ic * ih * iw, 1, -3, 3);
  const gate = integerFill(batch * ic, 2, -3, 3);
  const weights = integerFill(oc * convTerms(problem), 3, -3, 3);
  const bias = integerFill(oc, 4, -3, 3);
  const store = (data: Float32Array, dims: readonly number[]): Float32Array =>
    problem.layout === 'nhwc4' ? packNhwc4(data, dims) : data;
  const device = await testDevice();
  const plan = algorithm.plan(problem, device.capabilities, { mode: 'deterministic' });
  const dims = [batch, oc, oh, ow];
  const { dst } = await runPlan(device, plan, {
    inputs: { src: store(src, [batch, ic, ih, iw]), gate: store(gate, [batch, ic, 1, 1]), weights, bias },
    outputs: { dst: layoutElements(dims, problem.layout) },
  });
  const product = src.map((value, index) => value * (gate[Math.floor(index / (ih * iw))] ?? 0));
  const dense = problem.layout === 'nhwc4' ? unpackNhwc4(dst, dims) : dst;
  expectEqual(dense, referenceConv(problem, { src: product, weights, bias }), dims);
}

const target = defaultCapabilities({ software: true });

describe.each(TESTED.map((entry) => [entry.name, entry] as const))('%s', (_, algorithm) => {
  const taken = (['nchw', 'nhwc4'] as const).flatMap((layout: Layout) =>
    Object.entries(CASES)
      .map(([name, entry]) => ({
        name: `${name}, ${layout}`,
        problem: makeConvProblem({ ...entry, layout }),
      }))
      .filter(({ problem }) => algorithm.impossible(problem, target) === undefined),
  );
  it.each(taken)('$name', ({ problem }) => run(problem, algorithm));
});

it('every case has an algorithm that reads its gate', () => {
  for (const layout of ['nchw', 'nhwc4'] as const) {
    for (const entry of Object.values(CASES)) {
      const problem = makeConvProblem({ ...entry, layout });
      const { plan } = selectConv(problem, defaultCapabilities({ software: false }), { mode: 'fast' });
      expect(plan.passes[0]?.bindings.map(({ operand }) => operand)).toContain('gate');
      expect(plan.label).toContain('/gate/');
    }
  }
});
