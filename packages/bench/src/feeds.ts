/** Seeded inputs of a model: the same values for every runner, every run and every machine. */
import type { GraphValue, Tensor } from '@onegpu/onnx';
import { seededTensor } from './seeded-values.ts';

/** Height and width of a picture where neither the model nor the caller fixes them. */
const DEFAULT_SIDE = 224;

/**
 * One tensor an input.
 * @param given extents of the first input for a batch of 1; the others take what the model says
 * @throws RangeError for an input without a rank
 */
export function seededFeeds(
  inputs: readonly GraphValue[],
  shape: { readonly given: readonly number[] | undefined; readonly batch: number },
): Record<string, Tensor> {
  return Object.fromEntries(
    inputs.map((input, index) => {
      const dims = inputDims(input, { batch: shape.batch, given: index === 0 ? shape.given : undefined });
      return [input.name, seededTensor(input.type, dims, index + 1)];
    }),
  );
}

/** Extents of an input: the batch, what was given, what the model fixes, 3 channels, and a default side. */
export function inputDims(
  input: GraphValue,
  { given, batch }: { readonly given: readonly number[] | undefined; readonly batch: number },
): readonly number[] {
  if (given !== undefined) return [(given[0] ?? 1) * batch, ...given.slice(1)];
  if (input.dims === undefined) throw new RangeError(`input "${input.name}" has no rank`);
  return input.dims.map((extent, axis) => {
    if (axis === 0) return typeof extent === 'number' ? extent * batch : batch;
    if (typeof extent === 'number') return extent;
    return axis === 1 ? 3 : DEFAULT_SIDE;
  });
}
