/** `freeDimensionOverrides`: extents for symbols of the model's inputs, which feeds then must have. */
import { InvalidInputError } from '@onegpu/core';
import { checkOptions, describe } from '../describe.ts';
import type { Dimension, GraphValue } from '../graph.ts';
import type { InferenceSession } from '../session.ts';
import type { Tensor } from '../tensor.ts';

/** Extents by symbol. */
export type Overrides = ReadonlyMap<string, number>;

/** A symbol that no input has goes into `warnings`. @throws InvalidInputError for an extent that is none */
export function resolveOverrides(
  { inputs }: Pick<InferenceSession, 'inputs'>,
  wanted: Readonly<Record<string, number>> = {},
  warnings: string[],
): Overrides {
  checkOptions('SessionOptions.freeDimensionOverrides', wanted);
  const symbols = new Set(inputs.flatMap(({ dims }) => dims ?? []));
  for (const [symbol, extent] of Object.entries(wanted)) {
    if (!Number.isSafeInteger(extent) || extent < 0) {
      throw new InvalidInputError('the extent is not valid', {
        subject: 'SessionOptions',
        field: `freeDimensionOverrides.${symbol}`,
        got: describe(extent),
        expected: 'a non-negative integer',
      });
    }
    if (!symbols.has(symbol)) {
      warnings.push(`SessionOptions.freeDimensionOverrides.${symbol}: no input has this dimension`);
    }
  }
  return new Map(Object.entries(wanted));
}

/** The extents of a value, those given in place of symbols. */
export function overriddenDims({ dims }: GraphValue, overrides: Overrides): readonly Dimension[] | undefined {
  return dims?.map((dim) => (typeof dim === 'string' ? (overrides.get(dim) ?? dim) : dim));
}

/** @throws InvalidInputError for a feed with another extent than the override says; ranks are the session's to check */
export function checkOverrides(
  inputs: readonly GraphValue[],
  feeds: Readonly<Record<string, Tensor>>,
  overrides: Overrides,
): void {
  for (const { name, dims = [] } of inputs) {
    for (const [axis, symbol] of dims.entries()) {
      const expected = typeof symbol === 'string' ? overrides.get(symbol) : undefined;
      const got = feeds[name]?.dims[axis];
      if (expected === undefined || got === undefined || got === expected) continue;
      throw new InvalidInputError('the extent differs from the override', {
        subject: `input "${name}"`,
        field: `dims[${axis}]`,
        got: String(got),
        expected: `${expected}, as freeDimensionOverrides says of "${symbol}"`,
      });
    }
  }
}
