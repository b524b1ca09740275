/** Errors in the page's words. */
import { GpuDeviceLostError, GpuLimitError, UnsupportedOperatorError } from '@onegpu/core';
import { expect, it } from 'vitest';
import { explainError } from './explain-error.ts';
import { MissingPartError } from './late-part.ts';
import { namingModel } from './model-error.ts';

it('lists every node that is not supported', () => {
  const nodes = [
    { node: 'a', operator: 'Einsum', reason: 'this operator is not implemented' },
    { node: 'b', operator: 'Conv', reason: 'four spatial axes' },
  ];
  expect(explainError(new UnsupportedOperatorError(nodes))).toEqual({
    title: 'This model has unsupported nodes',
    message: '2 nodes are not supported.',
    items: ['Einsum “a”: this operator is not implemented', 'Conv “b”: four spatial axes'],
  });
});

it("keeps a typed error's message, its remedy too", () => {
  const error = new GpuLimitError('too large', { field: 'maxBufferSize', remedy: 'Use a smaller input.' });
  const { title, message } = explainError(error);
  expect(title).toBe('Too large for this adapter');
  expect(message).toBe(error.message);
  expect(message).toContain('Use a smaller input.');
});

it('takes whatever else was thrown', () => {
  expect(explainError(new RangeError('odd')).message).toBe('odd');
  expect(explainError('text').message).toBe('text');
});

it('names the model that an error is about', async () => {
  const thrown = (error: unknown): Promise<unknown> =>
    namingModel('a.onnx', () => Promise.reject(error)).catch((reason: unknown) => reason);
  const nodes = [{ node: 'a', operator: 'Einsum', reason: 'this operator is not implemented' }];
  expect(explainError(await thrown(new UnsupportedOperatorError(nodes)))).toEqual({
    title: 'This model has unsupported nodes: a.onnx',
    message: '1 node is not supported.',
    items: ['Einsum “a”: this operator is not implemented'],
  });
  const lost = new GpuDeviceLostError('the GPU device was lost');
  expect(await thrown(lost)).toBe(lost);
});

it('says that a part of the page is missing', () => {
  expect(explainError(new MissingPartError('The charts', new Error('offline')))).toMatchObject({
    title: 'A part of this page is missing',
    message: expect.stringContaining('The charts did not load (offline)'),
  });
});
