/** Gather on dense row-major data, by coordinates; an index out of range takes the nearest one inside. */
export function gatherReference(
  src: { readonly data: Uint32Array; readonly dims: readonly number[] },
  axis: number,
  indices: readonly number[],
): Uint32Array {
  const product = (dims: readonly number[]): number => dims.reduce((count, extent) => count * extent, 1);
  const at = axis < 0 ? axis + src.dims.length : axis;
  const extent = src.dims[at] ?? 0;
  const inner = product(src.dims.slice(at + 1));
  const dst: number[] = [];
  for (let outer = 0; outer < product(src.dims.slice(0, at)); outer++) {
    for (const given of indices) {
      const row = Math.min(Math.max(given < 0 ? given + extent : given, 0), extent - 1);
      for (let place = 0; place < inner; place++)
        dst.push(src.data[(outer * extent + row) * inner + place] ?? 0);
    }
  }
  return Uint32Array.from(dst);
}
