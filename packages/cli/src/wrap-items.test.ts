import { expect, it } from 'vitest';
import { wrapItems } from './wrap-items.ts';

it('breaks between items and indents what follows', () => {
  expect(wrapItems('ops  ', ['Conv 2', 'Relu 3', 'Add 1'], 20)).toBe('ops  Conv 2, Relu 3,\n     Add 1');
});

it('never breaks an item, and takes none and one', () => {
  expect(wrapItems('ops  ', ['GlobalAveragePool 10', 'Add 1'], 10)).toBe(
    'ops  GlobalAveragePool 10,\n     Add 1',
  );
  expect(wrapItems('ops  ', [], 10)).toBe('ops  ');
  expect(wrapItems('ops  ', ['Add 1'], 80)).toBe('ops  Add 1');
});
