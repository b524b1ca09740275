import { expect, it } from 'vitest';
import { chooseAdapter } from './choose-adapter.ts';
import { GpuUnavailableError } from './errors.ts';
import type { AdapterChoice } from './gpu-device.ts';
import { gpuProvider as browser } from './gpu-provider.browser.ts';
import { gpuProvider as node } from './gpu-provider.node.ts';
import type { GpuProvider } from './gpu-provider.ts';

const CHOICES = ['auto', 'hardware', 'software'] as const;

/** A platform without any adapter. */
function without(provider: GpuProvider): GpuProvider {
  const gpu = { requestAdapter: async () => null } as unknown as GPU;
  return { ...provider, load: async () => gpu, softwareAdapterNote: () => undefined };
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

it.each(CHOICES)('Node.js without an adapter (%s) is told what to install', async (choice) => {
  expect((await refusal(choice, node)).details.remedy).toMatch(/install/i);
});
