/** How numbers and names read. */
import { expect, it } from 'vitest';
import {
  formatBytes,
  formatCount,
  formatMs,
  formatNodes,
  formatPercent,
  formatRate,
  formatTime,
  shorten,
} from './format-values.ts';

it('writes numbers with their units', () => {
  expect([0, 0.01234, 1.5, 12.345, 1234.56, undefined].map(formatMs)).toEqual([
    '0',
    '0.0123',
    '1.500',
    '12.35',
    '1234.6',
    '–',
  ]);
  expect([0.5, 21402.4, undefined].map(formatTime)).toEqual(['0.500 ms', '21.40 s', '–']);
  expect([0, 1000, 1536, 25 * 2 ** 20].map(formatBytes)).toEqual(['0 B', '1000 B', '1.50 KiB', '25.0 MiB']);
  expect([0, 8.18e9, 250e6].map(formatCount)).toEqual(['0', '8.18 G', '250 M']);
  expect([1, 0.123, 1e-5, undefined].map(formatPercent)).toEqual(['100 %', '12.3 %', '< 0.1 %', '–']);
  expect([0.05, 5, 55.55, 555.5, 12000, 0].map(formatRate)).toEqual([
    '0.0500',
    '5.00',
    '55.5',
    '556',
    '12,000',
    '–',
  ]);
});

it('shortens in the middle and splits no letter', () => {
  expect(shorten('abcdefghij', 10)).toBe('abcdefghij');
  expect(shorten('abcdefghijk', 6)).toBe('ab…ijk');
  expect(shorten('😀'.repeat(20), 5)).toBe('😀…😀😀😀');
});

it('tells how many nodes a row stands for', () => {
  expect(formatNodes([], 10)).toBe('–');
  expect(formatNodes(['', 'b'], 10)).toBe('(no name) +1');
});
