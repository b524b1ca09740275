/** The GPU of a test file: one device a process, the machine's GPU where it has one, else the software adapter. */
import { GpuDevice } from '@onegpu/core';

let shared: Promise<GpuDevice> | undefined;

/** The device shared by every test of a file; never dispose of it. */
export function testDevice(): Promise<GpuDevice> {
  shared ??= GpuDevice.create({ adapter: adapterFromEnvironment() });
  return shared;
}

function adapterFromEnvironment(): 'auto' | 'software' | 'hardware' {
  const choice = process.env.ONEGPU_TEST_ADAPTER ?? 'auto';
  if (choice === 'auto' || choice === 'software' || choice === 'hardware') return choice;
  throw new Error(`ONEGPU_TEST_ADAPTER is "${choice}", expected auto, software or hardware`);
}
