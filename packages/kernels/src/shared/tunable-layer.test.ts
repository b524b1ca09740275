import { defaultCapabilities, type GpuCapabilities } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import { makeConvProblem } from '../conv/problem.ts';
import { convAlgorithms, selectConv } from '../conv/select.ts';
import type { Activation } from './activation.ts';
import { type TunableLayer, tunableLayer } from './tunable-layer.ts';

const HARDWARE: GpuCapabilities = {
  ...defaultCapabilities(),
  software: false,
  limits: {
    ...defaultCapabilities().limits,
    maxComputeWorkgroupStorageSize: 49152,
    maxComputeInvocationsPerWorkgroup: 1024,
  },
};

function layer(
  changes: { readonly ic?: number; readonly activation?: readonly Activation[] } = {},
  target = HARDWARE,
): TunableLayer {
  const { ic = 64, activation = [] } = changes;
  const problem = makeConvProblem({
    ...{ src: [1, ic, 13, 9], weights: [96, ic, 3, 3], pads: [1, 1, 1, 1], layout: 'nhwc4' },
    epilogue: { bias: true, residual: false, activation },
    weightsConstant: true,
  });
  return tunableLayer('conv', convAlgorithms, problem, target);
}

describe('tunableLayer', () => {
  it('gives equal layers one key, and others another', () => {
    expect(layer().key).toBe(layer().key);
    const others = [layer(), layer({ ic: 68 }), layer({ activation: [{ kind: 'relu' }] })];
    expect(new Set(others.map(({ key }) => key)).size).toBe(others.length);
  });

  it('begins with what the rules choose', () => {
    const { choices, plan } = layer();
    const problem = makeConvProblem({
      ...{ src: [1, 64, 13, 9], weights: [96, 64, 3, 3], pads: [1, 1, 1, 1], layout: 'nhwc4' },
      epilogue: { bias: true, residual: false, activation: [] },
      weightsConstant: true,
    });
    const [first = { algorithm: '' }] = choices();
    const rule = selectConv(problem, HARDWARE, { mode: 'fast' }).plan;
    expect(plan(first).label).toBe(rule.label);
    expect(plan(first).passes).toEqual(rule.passes);
  });

  it('lists each way once, and every one makes a plan of its own', () => {
    const { choices, plan } = layer();
    const labels = choices().map((choice) => plan(choice).label);
    expect(labels.length).toBeGreaterThan(8);
    expect(new Set(labels).size).toBe(labels.length);
    expect(choices().map(({ algorithm }) => algorithm)).toContain('direct');
  });

  it('tries ten configurations of what the rules choose, six of each other algorithm', () => {
    const counts: Record<string, number> = {};
    for (const { algorithm, configuration } of layer().choices()) {
      if (configuration !== undefined) counts[algorithm] = (counts[algorithm] ?? 0) + 1;
    }
    expect(counts).toEqual({ 'implicit-gemm': 10, winograd: 6, 'winograd-2x2': 6, 'split-k': 6 });
  });

  it('tries little on a software adapter, and nothing with barriers', () => {
    const choices = layer({}, { ...HARDWARE, software: true }).choices();
    expect(choices[0]).toEqual({ algorithm: 'register-tile' });
    expect(choices.length).toBeLessThanOrEqual(3);
    expect(choices.map(({ algorithm }) => algorithm)).not.toContain('implicit-gemm');
  });

  it('refuses what is no choice', () => {
    expect(() => layer().plan({ algorithm: 'no-such' })).toThrow(/no-such/);
    expect(() => layer().plan({ algorithm: 'implicit-gemm', configuration: '3x3' })).toThrow(/configuration/);
  });
});
