/**
 * Moving operators on dense row-major data, by coordinates: every function says for one coordinate of the result
 * where in the source it comes from. Data stays what it is; words compare bit for bit.
 */

/** A value for each coordinate of `dims`, row-major. */
export function fromCoordinates(
  dims: readonly number[],
  pick: (coordinates: readonly number[]) => number,
): Uint32Array {
  const count = dims.reduce((product, extent) => product * extent, 1);
  const dst = new Uint32Array(count);
  const coordinates = dims.map(() => 0);
  for (let index = 0; index < count; index++) {
    dst[index] = pick(coordinates);
    for (let axis = dims.length - 1; axis >= 0; axis--) {
      coordinates[axis] = (coordinates[axis] ?? 0) + 1;
      if ((coordinates[axis] ?? 0) < (dims[axis] ?? 0)) break;
      coordinates[axis] = 0;
    }
  }
  return dst;
}

/** The word at a coordinate of a dense tensor. */
export function wordAt(src: Uint32Array, dims: readonly number[], coordinates: readonly number[]): number {
  const index = dims.reduce((sum, extent, axis) => sum * extent + (coordinates[axis] ?? 0), 0);
  return src[index] ?? 0;
}

/** Inputs side by side along `axis`. */
export function concatReference(
  inputs: readonly { readonly data: Uint32Array; readonly dims: readonly number[] }[],
  axis: number,
  dims: readonly number[],
): Uint32Array {
  return fromCoordinates(dims, (coordinates) => {
    let place = coordinates[axis] ?? 0;
    for (const input of inputs) {
      const extent = input.dims[axis] ?? 0;
      if (place < extent) {
        return wordAt(
          input.data,
          input.dims,
          coordinates.map((c, at) => (at === axis ? place : c)),
        );
      }
      place -= extent;
    }
    return 0;
  });
}
