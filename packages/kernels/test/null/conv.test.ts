/** Every plan of every case compiles; tiles larger than the null backend's limits compile as modules. */
import { DEFAULT_LIMITS, defaultCapabilities } from '@onegpu/core';
import { compileModule, compilePlan } from '@onegpu/testing';
import { describe, expect, test } from 'vitest';
import { CONV_CASES } from '../../src/conv/cases.ts';
import { makeConvProblem } from '../../src/conv/problem.ts';
import { convAlgorithms } from '../../src/conv/select.ts';

const CASES = (['nchw', 'nhwc4'] as const).flatMap((layout) =>
  CONV_CASES.map(({ name, request }) => ({ name, problem: makeConvProblem({ ...request, layout }) })),
);

const LARGE_DEVICE = defaultCapabilities({
  limits: {
    ...DEFAULT_LIMITS,
    maxComputeWorkgroupStorageSize: 49152,
    maxComputeInvocationsPerWorkgroup: 1024,
    maxComputeWorkgroupSizeX: 1024,
  },
});

describe.each(convAlgorithms.map((entry) => [entry.name, entry] as const))('%s', (_, entry) => {
  test('compiles for every case', async () => {
    const target = defaultCapabilities();
    const taken = CASES.filter(({ problem }) => entry.impossible(problem, target) === undefined);
    expect(taken.length).toBeGreaterThan(0);
    for (const { problem } of taken) await compilePlan(entry.plan(problem, target, { mode: 'fast' }));
  });

  test('compiles for a device with large limits', async () => {
    const sample = CASES.find(({ problem }) => entry.impossible(problem, LARGE_DEVICE) === undefined);
    expect(sample).toBeDefined();
    if (sample === undefined) return;
    for (const pass of entry.plan(sample.problem, LARGE_DEVICE, { mode: 'fast' }).passes) {
      expect(await compileModule(pass)).toEqual([]);
    }
  });
});
