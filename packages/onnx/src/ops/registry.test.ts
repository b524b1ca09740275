/** What every operator must bring along. */
import { expect, it } from 'vitest';
import { allOperators } from './registry.ts';

it('every operator that runs on the GPU has a float64 reference', () => {
  const without = allOperators().filter((operator) => operator.lower && !operator.reference);
  expect(without.map(({ domain, opType }) => `${domain}:${opType}`)).toEqual([]);
});
