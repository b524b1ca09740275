/** Every plan of every case of convolutions over volumes and of deformable ones compiles. */
import { type DispatchPlan, defaultCapabilities } from '@onegpu/core';
import { compilePlan } from '@onegpu/testing';
import { expect, test } from 'vitest';
import { DEFORM_CONV_CASES } from '../../src/deform-conv/cases.ts';
import { DEFORM_CONV_ALGORITHMS } from '../../src/deform-conv/select.ts';
import type { Algorithm } from '../../src/shared/algorithm.ts';
import { VOLUME_CONV_CASES } from '../../src/volume-conv/cases.ts';
import { makeVolumeConvProblem } from '../../src/volume-conv/problem.ts';
import { VOLUME_CONV_ALGORITHMS } from '../../src/volume-conv/select.ts';
import { VOLUME_CONV_TRANSPOSE_CASES } from '../../src/volume-conv-transpose/cases.ts';
import { makeVolumeConvTransposeProblem } from '../../src/volume-conv-transpose/problem.ts';
import { VOLUME_CONV_TRANSPOSE_ALGORITHMS } from '../../src/volume-conv-transpose/select.ts';

const TARGET = defaultCapabilities();

function plansOf<Problem>(
  algorithms: readonly Algorithm<Problem>[],
  problems: readonly Problem[],
): readonly (readonly [string, readonly DispatchPlan[]])[] {
  return algorithms.map((entry) => [
    entry.name,
    problems
      .filter((problem) => entry.impossible(problem, TARGET) === undefined)
      .map((problem) => entry.plan(problem, TARGET, { mode: 'fast' })),
  ]);
}

const VOLUMES = VOLUME_CONV_CASES.map(({ request }) => makeVolumeConvProblem(request));
const TRANSPOSED = VOLUME_CONV_TRANSPOSE_CASES.map(({ options }) => makeVolumeConvTransposeProblem(options));
const DEFORMED = DEFORM_CONV_CASES.map(({ problem }) => problem);

async function expectCompiles(_: string, plans: readonly DispatchPlan[]): Promise<void> {
  expect(plans.length).toBeGreaterThan(0);
  for (const plan of plans) await compilePlan(plan);
}

test.each(plansOf(VOLUME_CONV_ALGORITHMS, VOLUMES))('Conv over volumes, %s', expectCompiles);
test.each(plansOf(VOLUME_CONV_TRANSPOSE_ALGORITHMS, TRANSPOSED))(
  'ConvTranspose over volumes, %s',
  expectCompiles,
);
test.each(plansOf(DEFORM_CONV_ALGORITHMS, DEFORMED))('DeformConv, %s', expectCompiles);
