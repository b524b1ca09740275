/** The GPU of a test file: the machine's GPU where it has one, else the software adapter. */
import { type AdapterChoice, GpuDevice } from '@onegpu/core';

let shared: Promise<GpuDevice> | undefined;

/** The device shared by every test of a file; never dispose of it. */
export function testDevice(): Promise<GpuDevice> {
  shared ??= newTestDevice();
  return shared;
}

/** Ends the shared device; behind each file, as files share a process. */
export async function releaseTestDevice(): Promise<void> {
  const device = await shared?.catch(() => undefined);
  shared = undefined;
  await device?.disposeAsync();
}

/** A device of the test's own, to count its memory, lose it or dispose of it. */
export function newTestDevice(): Promise<GpuDevice> {
  // Kernels that count their accesses are no others: the run without counts has checked them.
  const uniformity = process.env.ONEGPU_TEST_BOUNDS === '1' ? 'skip' : 'check';
  return GpuDevice.create({ adapter: testAdapter(), uniformity });
}

/** A device of the test's own whose kernels are chosen as for a software adapter or for hardware, whatever it is. */
export async function newTestDeviceAs(kind: 'software' | 'hardware'): Promise<GpuDevice> {
  const device = await newTestDevice();
  const capabilities = { ...device.capabilities, software: kind === 'software' };
  Object.defineProperty(device, 'capabilities', { configurable: true, value: capabilities });
  return device;
}

/** Which adapter tests take: `ONEGPU_TEST_ADAPTER`, else `auto`. */
export function testAdapter(): AdapterChoice {
  const choice = process.env.ONEGPU_TEST_ADAPTER ?? 'auto';
  if (choice === 'auto' || choice === 'software' || choice === 'hardware') return choice;
  throw new Error(`ONEGPU_TEST_ADAPTER is "${choice}", expected auto, software or hardware`);
}
