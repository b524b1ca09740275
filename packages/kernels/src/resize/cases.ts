/** Resize problems that tests and benchmarks share; prime extents, one feature varied a row. */
import type { Layout } from '../shared/layout.ts';
import type { CoordinateMode, NearestMode, ResizeMode } from './plan.ts';
import { makeResizeProblem, type ResizeProblem, type ResizeRequest } from './problem.ts';

export interface ResizeCase {
  readonly name: string;
  readonly problem: ResizeProblem;
  /** Weights are short binary fractions, so that sums of small integers are exact. */
  readonly exact: boolean;
}

const COORDINATES: readonly CoordinateMode[] = [
  'half_pixel',
  'half_pixel_symmetric',
  'pytorch_half_pixel',
  'align_corners',
  'asymmetric',
];
const NEAREST: readonly NearestMode[] = [
  'round_prefer_floor',
  'round_prefer_ceil',
  'floor',
  'ceil',
  'by_direction',
];

function rows(name: string, request: Partial<ResizeRequest>, exact = false): ResizeCase[] {
  const isNearest = (request.sampling?.mode ?? 'nearest') === 'nearest';
  return layoutsOf(request).map((layout) => ({
    name: `${name}, ${layout}`,
    problem: makeResizeProblem({ dims: [2, 7, 5, 11], layout, ...request }),
    exact: exact || isNearest,
  }));
}

/** Both where batch and channels pass through. */
function layoutsOf({ dims, sizes, scales }: Partial<ResizeRequest>): readonly Layout[] {
  const kept =
    dims === undefined ||
    (dims.length > 2 &&
      [0, 1].every((axis) => (scales === undefined ? sizes?.[axis] === dims[axis] : scales[axis] === 1)));
  return kept ? ['nchw', 'nhwc4'] : ['nchw'];
}

const UP = [2, 7, 13, 29];
const VOLUME = { dims: [2, 5, 3, 5, 7] } as const;
const DOWN = [2, 7, 3, 7];
const relu = { bias: false, residual: false, activation: [{ kind: 'relu' }] } as const;
const residual = { bias: false, residual: true, activation: [{ kind: 'hard-swish' }] } as const;

export const RESIZE_CASES: readonly ResizeCase[] = [
  ...rows('nearest by 2, as in feature pyramids', {
    scales: [1, 1, 2, 2],
    sampling: { coordinates: 'asymmetric', nearest: 'floor' },
  }),
  ...[3, 7, 8].flatMap((factor) => rows(`nearest by ${factor}`, { scales: [1, 1, factor, factor] })),
  ...COORDINATES.flatMap((coordinates) =>
    NEAREST.flatMap((nearest) => [
      // Tables do not depend on the layout: one layout each.
      ...rows(`nearest up ${coordinates} ${nearest}`, {
        sizes: UP,
        sampling: { coordinates, nearest },
      }).slice(0, 1),
      ...rows(`nearest down ${coordinates} ${nearest}`, {
        sizes: DOWN,
        sampling: { coordinates, nearest },
      }).slice(1),
    ]),
  ),
  ...COORDINATES.flatMap((coordinates) => [
    ...rows(`linear up ${coordinates}`, { sizes: UP, sampling: { mode: 'linear', coordinates } }),
    ...rows(`linear down ${coordinates}`, { sizes: DOWN, sampling: { mode: 'linear', coordinates } }),
  ]),
  ...rows('linear by 2', { scales: [1, 1, 2, 2], sampling: { mode: 'linear' } }, true),
  ...rows('linear by 4', { scales: [1, 1, 4, 4], sampling: { mode: 'linear' } }, true),
  ...rows('linear by 0.6', { scales: [1, 1, 0.6, 0.6], sampling: { mode: 'linear' } }),
  ...rows('linear of the width alone', { sizes: [2, 7, 5, 17], sampling: { mode: 'linear' } }),
  ...rows('linear of the height alone', { sizes: [2, 7, 9, 11], sampling: { mode: 'linear' } }),
  ...rows('linear, antialiased', { sizes: DOWN, sampling: { mode: 'linear', antialias: true } }),
  ...rows('cubic up', { sizes: UP, sampling: { mode: 'cubic' } }),
  ...rows('cubic, outside excluded', { sizes: UP, sampling: { mode: 'cubic', excludeOutside: true } }),
  ...rows('cubic, antialiased', { sizes: DOWN, sampling: { mode: 'cubic', antialias: true } }),
  ...rows('same size', { sizes: [2, 7, 5, 11], sampling: { mode: 'linear' } }, true),
  ...rows('1-D', { dims: [2, 5, 13], sizes: [2, 5, 29], sampling: { mode: 'linear' } }),
  ...rows('named axes', { axes: [3, 2], sizes: [17, 9], sampling: { mode: 'linear' } }),
  ...rows('in proportion, not larger', { axes: [2, 3], sizes: [9, 23], aspectRatio: 'not_larger' }),
  ...rows('in proportion, not smaller', { axes: [2, 3], sizes: [9, 23], aspectRatio: 'not_smaller' }),
  ...rows('eight channels', { dims: [1, 8, 3, 5], scales: [1, 1, 2, 3], sampling: { mode: 'linear' } }),
  ...rows('nineteen channels', { dims: [1, 19, 3, 5], scales: [1, 1, 2, 3] }),
  ...rows('nineteen channels, linear', {
    dims: [1, 19, 3, 5],
    scales: [1, 1, 2, 2],
    sampling: { mode: 'linear' },
  }),
  ...rows('linear with relu', { scales: [1, 1, 2, 2], sampling: { mode: 'linear' }, epilogue: relu }, true),
  ...rows('nearest with residual', { scales: [1, 1, 2, 2], epilogue: residual }),
  ...rows('empty batch', { dims: [0, 7, 5, 5], sizes: [0, 7, 9, 9] }),
  ...rows('to nothing', { sizes: [2, 7, 0, 9] }),
  ...dense('channels and width', { dims: [2, 3, 5, 7], sizes: [2, 5, 5, 11] }),
  ...dense('channels last in the model', { dims: [2, 5, 7, 3], sizes: [2, 9, 11, 3] }),
  ...dense('every axis', { dims: [2, 3, 5, 7], sizes: [3, 5, 7, 5] }),
  ...dense('batch and channels', { dims: [3, 2, 5], scales: [2, 2, 1] }),
  ...dense('five axes', { dims: [1, 2, 3, 2, 3, 2], sizes: [2, 3, 3, 3, 5, 3] }),
  ...dense('a vector', { dims: [7], sizes: [13] }),
  ...rows('a volume by 2', { ...VOLUME, scales: [1, 1, 2, 2, 2], sampling: { mode: 'linear' } }, true),
  ...rows('a volume down', { ...VOLUME, sizes: [2, 5, 2, 3, 4], sampling: { mode: 'linear' } }),
  ...rows('a volume, cubic', { ...VOLUME, sizes: [2, 5, 5, 3, 11], sampling: { mode: 'cubic' } }),
  ...rows('a volume, antialiased', {
    ...VOLUME,
    sizes: [2, 5, 2, 3, 2],
    sampling: { mode: 'linear', antialias: true },
  }),
  ...rows('a volume, nearest', { ...VOLUME, sizes: [2, 5, 5, 3, 11] }),
  ...rows(
    'a volume with relu',
    { ...VOLUME, scales: [1, 1, 2, 2, 2], sampling: { mode: 'linear' }, epilogue: relu },
    true,
  ),
  ...rows('more taps than a block', {
    dims: [1, 2, 1, 1031],
    sizes: [1, 2, 1, 3],
    sampling: { mode: 'linear', antialias: true },
  }),
  ...(['nearest', 'linear', 'cubic'] as const).flatMap((mode) => [
    ...rows(`crop, ${mode}`, { sizes: UP, ...crop(mode, [0, 0, 0.25, 0.4, 1, 1, 0.75, 0.8]) }),
    ...rows(`crop outside, ${mode}`, { sizes: UP, ...crop(mode, [0, 0, -0.3, 0.4, 1, 1, 0.75, 1.6], 7) }),
    ...rows(`crop flipped, ${mode}`, { sizes: UP, ...crop(mode, [0, 0, 1, 0, 1, 1, 0, 1]) }),
    ...rows(`crop of the same size, ${mode}`, {
      sizes: [2, 7, 5, 11],
      ...crop(mode, [0, 0, 0, 0.2, 1, 1, 1, 0.9]),
    }),
    ...rows(`crop to one column, ${mode}`, {
      sizes: [2, 7, 5, 1],
      ...crop(mode, [0, 0, 0, 0.2, 1, 1, 1, 0.9]),
    }),
  ]),
  ...rows('crop of the height alone: padding lanes stay zero', {
    axes: [2],
    sizes: [3],
    ...crop('nearest', [0, -0.5], -1),
  }),
  ...rows('crop of the height alone, linear', { axes: [2], sizes: [3], ...crop('linear', [0, -0.5], -1) }),
  ...rows('crop of named axes', {
    axes: [3, 2],
    sizes: [17, 9],
    ...crop('linear', [0.4, -0.3, 0.6, 0.75], -3),
  }),
];

function dense(name: string, request: Pick<ResizeRequest, 'dims' | 'sizes' | 'scales'>): ResizeCase[] {
  return (['nearest', 'linear'] as const).flatMap((mode) =>
    rows(`${name}, ${mode}`, { ...request, sampling: { mode } }).slice(0, 1),
  );
}

function crop(mode: ResizeMode, roi: readonly number[], extrapolation = 0): Partial<ResizeRequest> {
  return { roi, sampling: { mode, coordinates: 'tf_crop_and_resize', extrapolation } };
}
