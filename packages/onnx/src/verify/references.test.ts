/** What every operator must bring along. */
import { expect, it } from 'vitest';
import { allOperators } from '../ops/registry.ts';
import { findReference } from './references.ts';

it('every operator that runs on the GPU has a float64 reference, and no other', () => {
  const wrong = allOperators().filter(
    ({ domain, opType, lower }) => (lower === undefined) !== (findReference(domain, opType) === undefined),
  );
  expect(wrong.map(({ domain, opType }) => `${domain}:${opType}`)).toEqual([]);
});
