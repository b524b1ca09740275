import { describe, expect, it } from 'vitest';
import * as errors from './errors.ts';

const CLASSES = Object.entries(errors).filter(
  (entry): entry is [string, new (summary: never) => errors.OneGpuError] =>
    entry[0] !== 'OneGpuError' && entry[0].endsWith('Error'),
);

describe('errors', () => {
  it.each(CLASSES)('%s is called that also where a bundler renamed its class', (name, Class) => {
    const Renamed = { e: class extends Class {} }.e;
    const error = new Renamed((name === 'UnsupportedOperatorError' ? [] : 'refused') as never);
    expect(error.name).toBe(name);
    expect(String(error)).toContain(`${name}: `);
  });

  it('say where, what was got and expected, and the remedy', () => {
    const details = { subject: 'Conv', field: 'strides', got: '0', expected: '1 or more', remedy: 'Say 1.' };
    const { message } = new errors.GpuKernelShapeError('the strides are wrong', details);
    expect(message).toBe('Conv.strides: the strides are wrong (got 0, expected 1 or more). Say 1.');
  });
});
