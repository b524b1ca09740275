/** Files that cannot be written are told before the measuring, each with the option it was given for. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UsageError } from './failure.ts';
import { checkReportFiles } from './report-files.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onegpu-report-'));
  await mkdir(join(folder, 'there'));
  await writeFile(join(folder, 'file'), '');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('takes new files and files that are there, and writes nothing', async () => {
  await checkReportFiles({});
  await checkReportFiles({ report: join(folder, 'file'), trace: join(folder, 'there', 'trace.json') });
  expect(await readdir(join(folder, 'there'))).toEqual([]);
});

it.each([
  ['report', 'missing/page.html', 'there is no folder'],
  ['trace', 'missing/trace.json', '--trace'],
  ['report', 'there', 'is a folder'],
  ['report', 'file/page.html', 'is not a folder'],
])('refuses --%s %s: %s', async (option, path, words) => {
  const check = checkReportFiles({ [option]: join(folder, path) });
  await expect(check).rejects.toThrow(UsageError);
  await expect(check).rejects.toThrow(words);
});

it('refuses one file for both', async () => {
  const file = join(folder, 'file');
  await expect(checkReportFiles({ report: file, trace: file })).rejects.toThrow('the same file');
});
