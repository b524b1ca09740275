/** The driver's program is stood in for by a script of that name: what it prints is what the real one prints. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DriverWatch, hasDriverMemory } from './driver-memory.ts';

const SCRIPT = `#!/usr/bin/env node
const compute = process.argv.join(' ').includes('compute-apps');
const samples = compute ? ['77, 300', '78, [N/A]', '77, 500', '77, 400'] : ['0, 10\\n1, 20', '0, 110\\n1, 25', '0, 60\\n1, 20'];
if (!process.argv.includes('-lms')) console.log(samples[0]);
else setInterval(() => console.log(samples.length > 1 ? samples.shift() : samples[0]), 5);
`;

describe.skipIf(process.platform === 'win32')('the reading of nvidia-smi', () => {
  const before = process.env.PATH;
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'onegpu-driver-'));
  });
  afterEach(async () => {
    process.env.PATH = before;
    await rm(folder, { recursive: true, force: true });
  });

  it('takes the peaks of a process and of the devices', async () => {
    await writeFile(join(folder, 'nvidia-smi'), SCRIPT);
    await chmod(join(folder, 'nvidia-smi'), 0o755);
    process.env.PATH = `${folder}${delimiter}${before}`;
    expect(await hasDriverMemory()).toBe(true);
    const watch = new DriverWatch();
    const done = (): boolean =>
      watch.peaks(77).process === 500 * 2 ** 20 && watch.peaks(1).device !== undefined;
    for (let wait = 0; wait < 500 && !done(); wait++) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(watch.peaks(77)).toEqual({ process: 500 * 2 ** 20, device: 135 * 2 ** 20 });
    expect(watch.peaks(78).process).toBeUndefined();
    watch.stop();
  });

  it('tells nothing where there is no such program', async () => {
    process.env.PATH = folder;
    expect(await hasDriverMemory()).toBe(false);
    const watch = new DriverWatch();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(watch.peaks(1)).toEqual({ device: undefined, process: undefined });
    watch.stop();
  });
});
