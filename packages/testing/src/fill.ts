/** Reproducible fills. Integers first: their float32 sums are exact, so every algorithm must agree bit for bit. */

/** mulberry32: a 32-bit generator with full period, good enough for test data. Returns values in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Integers from `low` to `high`, both included. */
export function integerFill(length: number, seed: number, low = -4, high = 4): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from({ length }, () => low + Math.floor(random() * (high - low + 1)));
}

/** Uniform in [low, high). */
export function randomFill(length: number, seed: number, low = -1, high = 1): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from({ length }, () => low + random() * (high - low));
}
