/** The command's text as terminals of 80 columns get it: results and remarks. */
import { testAdapter } from '@onegpu/testing';
import { expect, it } from 'vitest';
import { onegpu } from './onegpu-process.ts';

it.each([
  ['info', 'ocr-det'],
  ['info', 'ocr-cls'],
  ['run', 'ocr-cls', '--adapter', testAdapter()],
  ['profile', 'ocr-cls', '--adapter', testAdapter(), '--runs', '1', '--no-ceilings'],
  ['devices'],
  ['run', 'resnet'],
])('onegpu %s %s fits 80 columns', async (...words) => {
  const { out, error } = await onegpu(words, { COLUMNS: '80' });
  expect(`${out}${error}`.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(`${out}${error}`).not.toBe('');
});

it('keeps messages whole where no terminal shows them', async () => {
  const { error } = await onegpu(['run', 'no-such-name']);
  expect(error).toMatch(/^onegpu: no-such-name: .* Test models are .*ocr-cls\.\n$/);
});
