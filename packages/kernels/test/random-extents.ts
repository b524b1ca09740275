/** Extents and windows for random problems: small, prime, and on both sides of every tile edge. */
import fc from 'fast-check';

/** Channels, rows and columns: mostly few, sometimes beside a multiple of a tile. */
export const extent: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 1, max: 9 }),
  fc.constantFrom(15, 16, 17, 31, 32, 33, 63, 64, 65),
);

/** Terms of a sum: across the edge of a block of 256 now and then. */
export const terms: fc.Arbitrary<number> = fc.oneof(
  { weight: 5, arbitrary: extent },
  { weight: 1, arbitrary: fc.constantFrom(255, 256, 257, 300, 513) },
);

export interface RandomAxis {
  readonly input: number;
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  readonly pads: readonly [number, number];
}

export const axis: fc.Arbitrary<RandomAxis> = fc.record({
  input: fc.integer({ min: 1, max: 13 }),
  kernel: fc.constantFrom(1, 1, 2, 3, 3, 4, 5),
  stride: fc.integer({ min: 1, max: 3 }),
  dilation: fc.constantFrom(1, 1, 2, 3),
  pads: fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 })),
});

/** ONNX's attributes of some axes. */
export function windowsOf(axes: readonly RandomAxis[]): {
  strides: number[];
  dilations: number[];
  pads: number[];
} {
  return {
    strides: axes.map(({ stride }) => stride),
    dilations: axes.map(({ dilation }) => dilation),
    pads: [...axes.map(({ pads }) => pads[0]), ...axes.map(({ pads }) => pads[1])],
  };
}

/** How channels divide: all together, in two groups of whole vec4, in three of any size, one channel a group. */
export const grouping = fc.constantFrom('one', 'one', 'words', 'three', 'depthwise');

/** [input channels, output channels, groups]. */
export function channelsOf(
  form: 'one' | 'words' | 'three' | 'depthwise',
  ic: number,
  oc: number,
): readonly [number, number, number] {
  if (form === 'one') return [ic, oc, 1];
  if (form === 'depthwise') return [oc, oc, oc];
  if (form === 'three') return [3 * (1 + (ic % 5)), 3 * (1 + (oc % 7)), 3];
  return [8 * (1 + (ic % 3)), 8 * (1 + (oc % 4)), 2];
}

/** Outputs of a problem that a host computes in float64 in a moment. */
export const MOST_OUTPUTS = 6000;

/** The problem, or undefined where the request is refused. */
export function orUndefined<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
