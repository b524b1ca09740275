/**
 * WebGPU in Node.js: Dawn's bindings (npm `webgpu`), with the bundled software adapter beside the machine's own.
 *
 * Dawn's instance must stay reachable for the life of the process: collected, it aborts or hangs. It is kept on
 * globalThis, one a process, also when two copies of this package are loaded.
 */
import { GpuUnavailableError } from './errors.ts';
import type { AdapterChoice } from './gpu-device.ts';
import type { AdapterAbsence, GpuProvider } from './gpu-provider.ts';
import { prepareSoftwareAdapter } from './software-adapter.node.ts';

/**
 * `disable_workgroup_init`: our kernels write workgroup memory before they read it. `disable_robustness`: our kernels
 * index inside their arrays and end their loops by construction, which `ONEGPU_TEST_BOUNDS=1 npm test` proves on every
 * operator test; Dawn's own checks cost a software adapter a third of its time.
 * `timestamp_quantization` rounds timestamps to 65 us. Clearing workgroup memory by the Vulkan extension makes
 * SwiftShader compile for seconds. `vulkan_enable_f16_on_nvidia` lets NVIDIA GPUs offer `shader-f16`.
 */
const DAWN_FLAGS = [
  'enable-dawn-features=allow_unsafe_apis,disable_workgroup_init,disable_robustness,vulkan_enable_f16_on_nvidia',
  'disable-dawn-features=timestamp_quantization,use_vulkan_zero_initialize_workgroup_memory_extension',
];

/**
 * Dawn's analysis of what is uniform takes two fifths of the time of a long kernel's front end, on the thread that
 * also packs weights. It only refuses kernels; tests, which keep it, show that it refuses none of ours.
 */
const UNIFORMITY_IS_TESTED = 'enable chromium_disable_uniformity_analysis;';

const SLOT = Symbol.for('onegpu.dawn');

interface DawnSlot {
  gpu: Promise<GPU>;
  /** Why the bundled software adapter is not there. */
  softwareAbsence: AdapterAbsence | undefined;
}

type GlobalWithSlot = typeof globalThis & { [SLOT]?: DawnSlot };

const GPU_DRIVER = 'Install a GPU driver with Vulkan, Metal or Direct3D 12.';

export const gpuProvider: GpuProvider = {
  load: () => slot().gpu,
  adapterAbsence: (choice) => adapterAbsence(choice, (globalThis as GlobalWithSlot)[SLOT]?.softwareAbsence),
  directives: UNIFORMITY_IS_TESTED,
};

/** @param software why the bundled software adapter is not there; undefined where it was made visible to Dawn */
export function adapterAbsence(choice: AdapterChoice, software: AdapterAbsence = {}): AdapterAbsence {
  if (choice === 'software') return software;
  const remedies = choice === 'hardware' ? [GPU_DRIVER] : [GPU_DRIVER, software.remedy];
  return { remedy: remedies.filter((text) => text !== undefined).join(' ') };
}

function slot(): DawnSlot {
  const scope = globalThis as GlobalWithSlot;
  const existing = scope[SLOT];
  if (existing !== undefined) return existing;
  const made: DawnSlot = { gpu: Promise.resolve(undefined as unknown as GPU), softwareAbsence: undefined };
  made.gpu = start(made).catch((error: unknown) => {
    delete scope[SLOT];
    throw error;
  });
  scope[SLOT] = made;
  return made;
}

async function start(made: DawnSlot): Promise<GPU> {
  // The driver list is read when Dawn makes its instance, so the software adapter is prepared before.
  made.softwareAbsence = await prepareSoftwareAdapter();
  const dawn = await importDawn();
  Object.assign(globalThis, dawn.globals);
  return dawn.create(DAWN_FLAGS);
}

async function importDawn(): Promise<typeof import('webgpu')> {
  try {
    return await import('webgpu');
  } catch (cause) {
    throw new GpuUnavailableError(
      'the WebGPU bindings for Node.js do not load on this machine',
      {
        subject: 'webgpu',
        got: cause instanceof Error ? cause.message : String(cause),
        expected: `a build for ${process.platform}-${process.arch}`,
        remedy: 'Install the npm package "webgpu" 0.6.2.',
      },
      { cause },
    );
  }
}
