import { expect, it } from 'vitest';
import { chooseAdapter } from './choose-adapter.ts';
import { GpuUnavailableError } from './errors.ts';
import type { AdapterChoice } from './gpu-device.ts';
import { gpuProvider as browser } from './gpu-provider.browser.ts';
import { adapterAbsence, gpuProvider as node } from './gpu-provider.node.ts';
import type { GpuProvider } from './gpu-provider.ts';

const CHOICES = ['auto', 'hardware', 'software'] as const;

/** A platform without any adapter. */
function without(provider: GpuProvider): GpuProvider {
  const gpu = { requestAdapter: async () => null } as unknown as GPU;
  return { ...provider, load: async () => gpu };
}

async function refusal(choice: AdapterChoice, provider: GpuProvider): Promise<GpuUnavailableError> {
  const answer: unknown = await chooseAdapter(choice, without(provider)).catch((error: unknown) => error);
  if (answer instanceof GpuUnavailableError) return answer;
  throw new Error(`no refusal: ${answer}`);
}

it.each(CHOICES)('a browser without an adapter (%s) is given advice for browsers', async (choice) => {
  const { message, details } = await refusal(choice, browser);
  expect(message).toMatch(choice === 'auto' ? /there is no adapter\. / : `there is no ${choice} adapter. `);
  expect(details.remedy).toMatch(/browser/);
  expect(details.remedy).not.toMatch(/install|package|Linux/i);
});

it('Node.js without a GPU is told to install a driver, and nothing of other kinds where one was asked for', async () => {
  const { message } = await refusal('hardware', node);
  expect(message).toBe(
    'GpuDevice: there is no hardware adapter. Install a GPU driver with Vulkan, Metal or Direct3D 12.',
  );
  expect((await refusal('auto', node)).details.remedy).toMatch(/^Install a GPU driver/);
});

it('Node.js tells why there is no software adapter, and what brings one where something does', () => {
  const missing = { got: 'no package', remedy: 'Install it.' };
  const foreign = { got: 'darwin-arm64', expected: 'linux-x64' };
  expect(adapterAbsence('software', missing)).toEqual(missing);
  expect(adapterAbsence('software', foreign)).toEqual(foreign);
  expect(adapterAbsence('software')).toEqual({});
  expect(adapterAbsence('auto', missing).remedy).toMatch(/^Install a GPU driver .*\. Install it\.$/);
  expect(adapterAbsence('auto', foreign)).toEqual(adapterAbsence('hardware', missing));
});
