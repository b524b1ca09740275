/** Test models by name, as processes: their own extents in every command, and names that are mistyped. */
import { testAdapter } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { onegpu } from './onegpu-process.ts';

describe('a test model of the checkout', () => {
  it.each(['info', 'run', 'tune'])('has its own extents in onegpu %s', async (command) => {
    const adapter = command === 'info' ? [] : ['--adapter', testAdapter()];
    const few = command === 'tune' ? ['--limit', '1'] : [];
    const { out } = await onegpu([command, 'ocr-cls', ...adapter, ...few, '--json']);
    const { inputs, shapes } = JSON.parse(out);
    const dims = command === 'info' ? shapes.x : (inputs.x ?? inputs[0].dims);
    expect(dims).toEqual([1, 3, 48, 192]);
  });
});

describe('a mistyped name', () => {
  it.each([['run'], ['bench', '--models']])(
    'is told by onegpu %s with the name that was meant',
    async (...words) => {
      const { code, out, error } = await onegpu([...words, 'mobilnet_v3_small']);
      expect([code, out]).toEqual([1, '']);
      expect(error).toBe(
        'onegpu: mobilnet_v3_small: this is neither a file nor a test model. Did you mean mobilenet_v3_small?\n',
      );
    },
  );
});
