/**
 * Seeded random numbers that are the same on every machine and in every order of use: a text names a stream,
 * a stream is sfc32 (Chris Doty-Humphrey's small fast counting generator, https://pracrand.sourceforge.net/)
 * started from four hashes of that text, and normal values come from the Box-Muller transform in float64.
 */

/** A stream of numbers in [0, 1), 32 bits each. */
export type RandomStream = () => number;

/** The stream that `name` stands for; equal names give equal numbers. */
export function randomStream(name: string): RandomStream {
  let a = hashText(name, 0x9e3779b9);
  let b = hashText(name, 0x243f6a88);
  let c = hashText(name, 0xb7e15162);
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  // The first outputs still look like the seeds.
  for (let i = 0; i < 15; i++) next();
  return next;
}

/** Normally distributed float32 values; `mean` and `std` are those of the distribution, nothing is clamped. */
export function normalValues(
  length: number,
  distribution: { readonly mean: number; readonly std: number },
  stream: RandomStream,
): Float32Array {
  const { mean, std } = distribution;
  const values = new Float32Array(length);
  for (let i = 0; i < length; i += 2) {
    const radius = std * Math.sqrt(-2 * Math.log(1 - stream())); // 1 - u lies in (0, 1]
    const angle = 2 * Math.PI * stream();
    values[i] = mean + radius * Math.cos(angle);
    if (i + 1 < length) values[i + 1] = mean + radius * Math.sin(angle);
  }
  return values;
}

/** FNV-1a over the UTF-16 units, then MurmurHash3's finalizer so that close names give far seeds. */
function hashText(text: string, seed: number): number {
  let hash = seed | 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
