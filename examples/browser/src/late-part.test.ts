/** Parts that load once, and parts that do not. */
import { expect, it } from 'vitest';
import { LatePart, MissingPartError } from './late-part.ts';

it('loads once, whoever asks', async () => {
  let loads = 0;
  const part = new LatePart('It', async () => ++loads);
  part.loadAhead();
  expect(await Promise.all([part.get(), part.get()])).toEqual([1, 1]);
});

it('says which part is missing and what to do, and asks for it again', async () => {
  let loads = 0;
  const part = new LatePart('The runtime', async () => {
    if (++loads === 1) throw new TypeError('offline');
    return loads;
  });
  const error: unknown = await part.get().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MissingPartError);
  expect(String(error)).toContain('The runtime did not load (offline). See that the server');
  expect(await part.get()).toBe(2);
});
