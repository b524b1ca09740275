/** Which adapter of a platform a device is made of. */
import { isSoftwareAdapter } from './capabilities.ts';
import { GpuUnavailableError } from './errors.ts';
import type { AdapterChoice } from './gpu-device.ts';
import type { GpuProvider } from './gpu-provider.ts';

/** @throws GpuUnavailableError when there is no WebGPU or no adapter of the kind asked for */
export async function chooseAdapter(choice: AdapterChoice, provider: GpuProvider): Promise<GPUAdapter> {
  const gpu = await provider.load();
  if (choice !== 'software') {
    const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (adapter !== null && (choice === 'auto' || !isSoftwareAdapter(adapter.info))) return adapter;
  }
  if (choice !== 'hardware') {
    const adapter = await gpu.requestAdapter({ forceFallbackAdapter: true });
    // Some implementations answer with hardware where they have no fallback adapter.
    if (adapter !== null && (choice === 'auto' || isSoftwareAdapter(adapter.info))) return adapter;
  }
  const kind = choice === 'auto' ? '' : `${choice} `;
  throw new GpuUnavailableError(`there is no ${kind}adapter`, {
    subject: 'GpuDevice',
    ...provider.adapterAbsence(choice),
  });
}
