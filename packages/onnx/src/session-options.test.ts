import { InvalidInputError } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import { type SessionOptions, takeSessionOptions } from './session-options.ts';

const refusal = (options: object): unknown => {
  try {
    takeSessionOptions(options as SessionOptions);
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('options of a session', () => {
  it.each([
    {},
    { adapter: 'software', mode: 'deterministic', fusions: 'portable', inputLayout: 'nhwc4', tune: 'kept' },
    { cache: true, signal: new AbortController().signal, onProgress: () => {}, externalData: {}, dims: {} },
    { mode: undefined, tune: undefined },
  ])('%j are taken', (options) => {
    expect(refusal(options)).toBeUndefined();
  });

  it.each([
    [{ executionProviders: ['webgpu'] }, 'executionProviders: there is no such option (expected adapter,'],
    [{ fusion: false }, 'fusion: there is no such option'],
    [{ mode: 'quick' }, 'mode: there is no such value (got "quick", expected fast, deterministic)'],
    [{ tune: 1 }, 'tune: there is no such value (got 1, expected true, false, kept)'],
    [{ device: {} }, 'device: this is no GpuDevice (got Object)'],
    [7, 'options: the options are no object (got 7)'],
  ])('%j are refused', (options, message) => {
    const error = refusal(options as object);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as Error).message).toContain(`SessionOptions.${message}`);
  });

  it('are taken as they are, those of their prototype too', () => {
    const given = Object.create({ mode: 'deterministic' });
    given.tune = false;
    const taken = takeSessionOptions(given);
    given.mode = 'quick';
    given.tune = true;
    expect(taken).toMatchObject({ mode: 'deterministic', tune: false });
  });
});
