/** Where WebGPU comes from in a browser: `navigator.gpu`. */
import { GpuUnavailableError } from './errors.ts';
import type { AdapterChoice } from './gpu-device.ts';
import type { GpuProvider } from './gpu-provider.ts';

const REMEDIES: Readonly<Record<AdapterChoice, string>> = {
  auto: "Turn on hardware acceleration in the browser's settings, or update the GPU's driver.",
  software: 'This browser offers none; "auto" takes whatever adapter it has.',
  hardware: "Turn on hardware acceleration in the browser's settings.",
};

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
  adapterAbsence: (choice) => ({ remedy: REMEDIES[choice] }),
  directives: '',
};
