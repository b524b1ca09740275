/**
 * Random resizes, every algorithm that takes them against float64.
 */
import { storeNarrow } from '@onegpu/core';
import {
  expectEqual,
  expectExact,
  expectWithin,
  integerFill,
  runPlan,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import fc from 'fast-check';
import { referenceResize } from '../src/reference/resize.ts';
import { resizeSum } from '../src/reference/sums.ts';
import { toInteger } from '../src/resize/element.ts';
import { GATHER_INTEGERS } from '../src/resize/integers.ts';
import type { CoordinateMode, NearestMode, Sampling } from '../src/resize/plan.ts';
import { makeResizeProblem, type ResizeProblem, type ResizeRequest } from '../src/resize/problem.ts';
import { planResize, RESIZE_ALGORITHMS } from '../src/resize/select.ts';
import { elementCount, layoutElements } from '../src/shared/layout.ts';
import { HALF_ROUNDOFF } from '../src/shared/tolerance.ts';
import type { FloatStorage } from './check-sums.ts';
import { runInLayout } from './run-in-layout.ts';
import { describeSweep, FLOAT_STORAGES } from './sweep.ts';

const sampling: fc.Arbitrary<Partial<Sampling>> = fc.record({
  mode: fc.constantFrom('nearest', 'linear', 'cubic'),
  coordinates: fc.constantFrom<CoordinateMode>(
    'half_pixel',
    'half_pixel_symmetric',
    'pytorch_half_pixel',
    'align_corners',
    'asymmetric',
    'tf_crop_and_resize',
  ),
  nearest: fc.constantFrom<NearestMode>(
    'round_prefer_floor',
    'round_prefer_ceil',
    'floor',
    'ceil',
    'by_direction',
  ),
  cubicCoefficient: fc.constantFrom(-0.75, -0.5, 0.25),
  excludeOutside: fc.boolean(),
  antialias: fc.boolean(),
  extrapolation: fc.integer({ min: -9, max: 9 }),
});

/** Up to four axes, some of them resized by sizes or by scales in eighths. */
const request: fc.Arbitrary<ResizeRequest> = fc
  .tuple(
    fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
    fc.array(fc.integer({ min: 1, max: 11 }), { minLength: 4, maxLength: 4 }),
    fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    fc.array(fc.integer({ min: -4, max: 12 }), { minLength: 8, maxLength: 8 }),
    fc.constantFrom('sizes', 'scales', 'not_larger', 'not_smaller'),
    fc.constantFrom('nchw', 'nhwc4', 'uint8'),
    sampling,
  )
  .map(([extents, targets, kept, region, by, kind, chosen]) => {
    const layout = kind === 'nhwc4' ? 'nhwc4' : 'nchw';
    const dims = layout === 'nhwc4' ? [2, 5, ...extents.slice(0, 3)] : extents;
    const named = dims.flatMap((_, axis) =>
      (layout === 'nhwc4' && axis < 2) || kept[axis] === true ? [] : [axis],
    );
    const axes = named.length === 0 ? [dims.length - 1] : named;
    const values = axes.map((_, at) => targets[at] ?? 1);
    const policy = by === 'not_larger' || by === 'not_smaller' ? by : 'stretch';
    return {
      dims,
      axes,
      layout,
      element: kind === 'uint8' ? 'uint8' : 'float32',
      roi: [...axes.map((_, at) => (region[at] ?? 0) / 8), ...axes.map((_, at) => (region[4 + at] ?? 8) / 8)],
      ...(by === 'scales' ? { scales: values.map((value) => (value + 1) / 5) } : { sizes: values }),
      aspectRatio: policy,
      sampling: { ...chosen, antialias: chosen.antialias === true && chosen.mode !== 'nearest' },
    };
  });

async function runAs(problem: ResizeProblem, name: string, storage: FloatStorage): Promise<void> {
  const device = await testDevice();
  const { srcDims, dstDims, layout, element } = problem;
  const { plan } = planResize(problem, device.capabilities, { mode: 'deterministic', algorithm: name });
  if (element === 'uint8') {
    const src = Uint8Array.from(integerFill(elementCount(srcDims), 3, 0, 255));
    const narrow = storeNarrow(plan, { src: 'uint8', dst: 'uint8' }, device.capabilities);
    const outputs = { dst: { type: 'uint8', length: elementCount(dstDims) } } as const;
    const { dst } = await runPlan(device, narrow, { inputs: { src }, outputs, partial: true, bounds: true });
    const expected = Array.from(referenceResize(problem, src), (value) => toInteger(value, 'uint8'));
    expectExact(dst, Uint8Array.from(expected), dstDims);
    return;
  }
  // Positive: the bound is of the largest result, which sums that cancel would make too small.
  const data = integerFill(layoutElements(srcDims, 'nchw'), 3, 1, 9);
  const half = storage === 'float16';
  const dst = await runInLayout(plan, { layout, inputs: { src: { data, dims: srcDims } }, dstDims, half });
  const expected = referenceResize(problem, data);
  if (problem.sampling.mode === 'nearest') expectEqual(dst, Float32Array.from(expected), dstDims);
  // Weights of a cubic with the outside excluded may add to several times their sum.
  else
    expectWithin(dst, expected, 4 * sumTolerance(resizeSum(problem)) + (half ? HALF_ROUNDOFF : 0), dstDims);
}

const problems = request.map(makeResizeProblem);

/** Over float16 whatever the element of the problem is. */
describeSweep({
  ...{ name: 'resize', problems, storages: FLOAT_STORAGES, runs: 50, seed: 3 },
  algorithms: RESIZE_ALGORITHMS.filter((entry) => entry !== GATHER_INTEGERS),
  check: (problem, { name }, storage) =>
    runAs(storage === 'float16' ? { ...problem, element: 'float32' } : problem, name, storage),
});

describeSweep({
  ...{ name: 'resize of integers', algorithms: [GATHER_INTEGERS], problems, runs: 10, seed: 4 },
  check: (problem, { name }) => runAs(problem, name, 'float32'),
});
