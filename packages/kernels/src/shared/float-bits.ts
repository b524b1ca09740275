/** The bits of a float32, as parameters of kernels carry it. */
export function floatBits(value: number): number {
  return new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;
}
