import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** Runs a script in a Node process of its own; it must end by itself. */
function run(body: string): { status: number | null; stdout: string } {
  const script = `import { GpuDevice } from '@onegpu/core';\n${body}`;
  const args = ['--conditions=source', '--import', 'tsx', '--input-type=module', '-e', script];
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stdout };
}

describe('process exit', () => {
  it('ends although the device was never disposed of', () => {
    const { status, stdout } = run(`await GpuDevice.create(); console.log('made');`);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'made\n' });
  });

  it('ends after disposing, with work in flight', () => {
    const { status, stdout } = run(`
const device = await GpuDevice.create();
const readback = await device.staging.acquire(64);
const mapped = readback.mapAsync(1).then(() => 'mapped', () => 'aborted');
await device.disposeAsync();
console.log(await mapped);`);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^(mapped|aborted)\n$/);
  });
});
