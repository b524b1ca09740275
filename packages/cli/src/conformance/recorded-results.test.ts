/** Records of conformance runs: written, read and compared. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  compareWithRecord,
  formatDifference,
  formatRecord,
  readRecordedResults,
} from './recorded-results.ts';
import type { FolderResult } from './run-folder.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onegpu-record-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const RESULTS: readonly FolderResult[] = [
  { name: 'node/test_b', status: 'UNSUPPORTED', reason: 'not built' },
  { name: 'node/test_a', status: 'PASS', reason: '' },
];

async function recordOf(text: string): ReturnType<typeof readRecordedResults> {
  const file = join(folder, 'results.json');
  await writeFile(file, text);
  return readRecordedResults(file);
}

describe('records', () => {
  it('are sorted, one line a folder, and read back', async () => {
    const text = formatRecord(RESULTS);
    expect(text).toBe('{\n  "node/test_a": "PASS",\n  "node/test_b": "UNSUPPORTED"\n}\n');
    expect(compareWithRecord(RESULTS, await recordOf(text), () => true)).toEqual([]);
  });

  it('tell what changed, what is new and what did not run', async () => {
    const recorded = await recordOf('{"node/test_b": "PASS", "node/test_c": "PASS", "light/d": "PASS"}');
    const differences = compareWithRecord(RESULTS, recorded, (name) => name.startsWith('node'));
    expect(differences.map(formatDifference)).toEqual([
      'CHANGED node/test_a: not recorded -> PASS',
      'CHANGED node/test_b: PASS -> UNSUPPORTED: not built',
      'CHANGED node/test_c: PASS -> not run',
    ]);
  });

  it('that are no records are refused', async () => {
    await expect(recordOf('')).rejects.toThrow(/no record of conformance results/);
    await expect(recordOf('[]')).rejects.toThrow(/an object of folder names/);
    await expect(recordOf('{"node/test_a": "GOOD"}')).rejects.toThrow(/"node\/test_a": "GOOD"/);
  });
});
