/**
 * A full run of ONNX's own tests is as the committed results say, where the data is there: ONEGPU_CONFORMANCE_DATA names
 * a folder that holds `node` and `light` (docs/conformance.md).
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readRecordedResults } from '../src/conformance/recorded-results.ts';
import { onegpu } from './onegpu-process.ts';

const data = process.env.ONEGPU_CONFORMANCE_DATA ?? '';
const RECORD = fileURLToPath(new URL('../../../docs/conformance-results.json', import.meta.url));

describe.skipIf(data === '')('a full run', () => {
  it('is as recorded', { timeout: 1_800_000 }, async () => {
    const { code, out } = await onegpu(['conformance', data, '--check', RECORD]);
    expect(out).toMatch(/; as recorded\n$/);
    expect(code).toBe(0);
  });
});

it('the committed results hold no failure', async () => {
  const results = await readRecordedResults(RECORD);
  expect([...results].filter(([, status]) => status === 'FAIL')).toEqual([]);
});
