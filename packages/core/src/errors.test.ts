import { describe, expect, it } from 'vitest';
import * as errors from './errors.ts';

type ErrorClass = new (summary: never) => errors.OneGpuError;

const CLASSES = Object.entries(errors)
  .filter(([name]) => name !== 'OneGpuError' && name.endsWith('Error'))
  .map(([name, Class]) => [name, Class as unknown as ErrorClass] as const);

describe('errors', () => {
  it.each(CLASSES)('%s is called that also where a bundler renamed its class', (name, Class) => {
    const Renamed = { e: class extends Class {} }.e;
    const error = new Renamed((name === 'UnsupportedOperatorError' ? [] : 'refused') as never);
    expect(error.name).toBe(name);
    expect(String(error)).toContain(`${name}: `);
  });

  it('say where, what was got and expected, and the remedy', () => {
    const details = { subject: 'Conv', field: 'strides', got: '0', expected: '1 or more', remedy: 'Say 1.' };
    const { message, summary } = new errors.GpuKernelShapeError('the strides are wrong', details);
    expect(message).toBe('Conv.strides: the strides are wrong (got 0, expected 1 or more). Say 1.');
    expect(summary).toBe('the strides are wrong');
  });
});
