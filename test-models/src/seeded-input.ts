/** Inputs for models without a picture: normal values, which is what a normalised picture looks like to a network. */
import { normalValues, randomStream } from './random.ts';

/** Normal values of mean 0 and standard deviation 1, row-major; equal dims and seed give equal values. */
export function seededInput(dims: readonly number[], seed: number): Float32Array {
  const length = dims.reduce((product, extent) => product * extent, 1);
  return normalValues(length, { mean: 0, std: 1 }, randomStream(`input/${seed}`));
}
