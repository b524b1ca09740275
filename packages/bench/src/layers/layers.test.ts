import { defaultCapabilities } from '@onegpu/core';
import { CONV_TRANSPOSE_ALGORITHMS, convAlgorithms, unpackNhwc4 } from '@onegpu/kernels';
import { testAdapter, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import type { ConvLayer } from '../shapes/conv-layer.ts';
import { benchLayers } from './bench-layers.ts';
import { layerChoices } from './candidates.ts';
import { formatLayersReport } from './layers-report.ts';
import { LAYER_NETWORK_NAMES, LAYER_NETWORKS } from './networks.ts';
import { destroyOperands, imageValues, placeOperands } from './operands.ts';

/** Small twins of the kinds of layers that networks have; sizes share no factor with a tile. */
const PLAIN: ConvLayer = { name: 'plain', ic: 5, size: 7, oc: 9, kernel: 3, stride: 2, count: 2 };
const DEPTHWISE: ConvLayer = { ...PLAIN, name: 'depthwise', oc: 5, groups: 5 };
const TRANSPOSED: ConvLayer = { ...PLAIN, name: 'transposed', kernel: 2, transposed: true };
const setting = { batch: 2, mode: 'fast', target: defaultCapabilities() } as const;

describe('layerChoices', () => {
  it('lists every algorithm once, as a candidate or with the reason against it', () => {
    for (const layer of [PLAIN, DEPTHWISE, TRANSPOSED]) {
      const { candidates, refused } = layerChoices(layer, setting);
      const all = layer.transposed === true ? CONV_TRANSPOSE_ALGORITHMS : convAlgorithms;
      const listed = [...candidates, ...refused].map(({ algorithm }) => algorithm);
      expect(listed.toSorted()).toEqual(all.map(({ name }) => name).toSorted());
      expect(refused.every(({ reason }) => reason !== '')).toBe(true);
      for (const { plan, algorithm } of candidates) expect(plan.algorithm).toBe(algorithm);
    }
  });

  it('has what a session would choose among the candidates, for every layer of every network', () => {
    for (const network of LAYER_NETWORK_NAMES) {
      for (const layer of LAYER_NETWORKS[network]) {
        const { candidates, chosen, layout } = layerChoices(layer, setting);
        expect(candidates.filter((c) => c.algorithm === chosen && c.layout === layout)).toHaveLength(1);
      }
    }
  });
});

describe('operands', () => {
  it('hold seeded values of a normal size, and zero in the padding lanes', () => {
    const dims = [2, 3, 5, 7];
    const values = imageValues(dims, 'nhwc4');
    expect(unpackNhwc4(values, dims).every((value) => Math.abs(value) > 1e-20)).toBe(true);
    expect(values.filter((_, index) => index % 4 === 3).every((value) => value === 0)).toBe(true);
    expect(imageValues(dims, 'nhwc4')).toEqual(values);
  });

  it('cover what each plan binds, and give their memory back', async () => {
    const device = await testDevice();
    const before = device.memory;
    for (const layer of [PLAIN, DEPTHWISE, TRANSPOSED]) {
      const { candidates, dims } = layerChoices(layer, { ...setting, target: device.capabilities });
      for (const candidate of candidates) {
        const { plan } = candidate;
        const operands = await placeOperands(device, candidate, dims);
        const tables = plan.tables.map(({ operand }) => operand);
        for (const { operand } of plan.passes.flatMap((pass) => pass.bindings)) {
          expect([...Object.keys(operands), ...tables]).toContain(operand);
        }
        destroyOperands(device, operands);
      }
    }
    expect(device.memory).toEqual(before);
  });
});

describe('benchLayers', () => {
  const options = {
    network: 'mobilenet-v3',
    batches: [1],
    filter: /960x7-960/,
    adapter: testAdapter(),
    mode: 'fast',
    budget: { budgetMs: 5, timingMs: 1 },
  } as const;

  it('times every candidate and marks the chosen and the best', async () => {
    const report = await benchLayers(options);
    const [layer] = report.layers;
    expect(report.layers).toHaveLength(1);
    const { candidates = [], refused = [] } = layer ?? {};
    expect(candidates.length + refused.length).toBe(convAlgorithms.length);
    expect(candidates.filter(({ chosen }) => chosen)).toHaveLength(1);
    expect(candidates.filter(({ best }) => best)).toHaveLength(1);
    expect(candidates.every(({ time, gflops }) => time.medianMs > 0 && gflops > 0)).toBe(true);
    const [summary] = report.summaries;
    expect(summary?.chosenMs).toBeGreaterThanOrEqual(summary?.bestMs ?? Number.POSITIVE_INFINITY);

    const text = formatLayersReport(report, { refused: true });
    expect(text).toMatch(/\| features\.14\.block\.1\.0 \| 960x7-960 5x5s1g960 \| +2 \| /);
    expect(text).toContain('chosen');
    expect(text).toContain('im2col: 960 groups');
    expect(formatLayersReport(report)).not.toContain('im2col: ');
  });

  it('times a layer once where one run takes the budget', async () => {
    const { layers } = await benchLayers({ ...options, budget: { budgetMs: 0, timingMs: 1 } });
    for (const { time } of layers.flatMap(({ candidates }) => candidates)) {
      expect(time).toMatchObject({ runs: 1, repeats: 1 });
    }
  });

  it('refuses a pattern without a layer', async () => {
    await expect(benchLayers({ ...options, filter: /no such layer/ })).rejects.toThrow(/no layer/);
  });
});
