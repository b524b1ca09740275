/** Comparers that say where and how two tensors differ. */

type Numbers = ArrayLike<number>;

/** max|y - r| / max|r|; absolute where every r is zero; infinite where one is NaN or infinite and the other differs. */
export function scaledError(actual: Numbers, expected: Numbers): number {
  return worst(actual, expected).error;
}

/** Every element equal, NaN equal to NaN, -0 different from 0. */
export function expectExact(actual: Numbers, expected: Numbers, dims: readonly number[]): void {
  checkLength(actual, expected, dims);
  for (let index = 0; index < expected.length; index++) {
    if (!Object.is(actual[index], expected[index])) {
      throw new Error(`not equal ${describe(actual, expected, dims, index)}`);
    }
  }
}

/** Every element equal as numbers, so -0 equals 0; for sums whose sign of zero is nobody's promise. */
export function expectEqual(actual: Numbers, expected: Numbers, dims: readonly number[]): void {
  checkLength(actual, expected, dims);
  for (let index = 0; index < expected.length; index++) {
    const a = actual[index];
    const b = expected[index];
    if (a !== b && !(Number.isNaN(a) && Number.isNaN(b))) {
      throw new Error(`not equal ${describe(actual, expected, dims, index)}`);
    }
  }
}

/** Scaled error of at most `tolerance`; the message shows the worst element and its neighbours. */
export function expectWithin(
  actual: Numbers,
  expected: Numbers,
  tolerance: number,
  dims: readonly number[],
): void {
  checkLength(actual, expected, dims);
  const { error, index } = worst(actual, expected);
  if (error <= tolerance) return;
  throw new Error(
    `scaled error ${error.toExponential(2)} is over ${tolerance.toExponential(2)} ${describe(actual, expected, dims, index)}`,
  );
}

function worst(actual: Numbers, expected: Numbers): { error: number; index: number } {
  let scale = 0;
  let largest = 0;
  let index = 0;
  for (let i = 0; i < expected.length; i++) {
    const y = actual[i] ?? Number.NaN;
    const r = expected[i] ?? Number.NaN;
    if (Number.isFinite(r)) scale = Math.max(scale, Math.abs(r));
    const same = Object.is(y, r) || y === r;
    const difference = same ? 0 : Math.abs(y - r);
    const distance = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
    if (distance > largest) {
      largest = distance;
      index = i;
    }
  }
  return { error: scale === 0 ? largest : largest / scale, index };
}

function checkLength(actual: Numbers, expected: Numbers, dims: readonly number[]): void {
  const count = dims.reduce((product, extent) => product * extent, 1);
  if (actual.length !== expected.length || expected.length !== count) {
    throw new Error(
      `lengths differ: got ${actual.length}, expected ${expected.length}, dims [${dims.join(', ')}]`,
    );
  }
}

function describe(actual: Numbers, expected: Numbers, dims: readonly number[], index: number): string {
  const coordinates: number[] = [];
  let rest = index;
  for (const extent of [...dims].reverse()) {
    coordinates.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  const from = Math.max(0, index - 2);
  const window = (values: Numbers): string =>
    Array.from({ length: Math.min(5, values.length - from) }, (_, offset) => values[from + offset]).join(' ');
  return `at [${coordinates.join(', ')}] of [${dims.join(', ')}]: got ${actual[index]}, expected ${expected[index]}; around it got ${window(actual)}; expected ${window(expected)}`;
}
