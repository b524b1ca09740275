/** Where WebGPU comes from in a browser: `navigator.gpu`. */
import { GpuUnavailableError } from './errors.ts';
import type { GpuProvider } from './gpu-provider.ts';

export const gpuProvider: GpuProvider = {
  async load(): Promise<GPU> {
    if (typeof navigator === 'undefined' || navigator.gpu === undefined) {
      throw new GpuUnavailableError('this browser has no WebGPU', {
        subject: 'navigator.gpu',
        got: 'undefined',
        remedy: 'Use a browser with WebGPU, over https or on localhost.',
      });
    }
    return navigator.gpu;
  },
  softwareAdapterNote: () => undefined,
  adapterRemedy: {
    auto: "Turn on hardware acceleration in the browser's settings, or update the GPU's driver.",
    software: 'This browser has none to offer; ask for "auto".',
    hardware: 'Turn on hardware acceleration in the browser\'s settings, or ask for "auto".',
  },
  directives: '',
};
