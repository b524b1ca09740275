/**
 * Compiles plans on Dawn's null backend: valid WGSL, valid bindings, no numbers, no GPU. It needs a process of its
 * own (Dawn allows one instance a process), so test files use either this or `testDevice`.
 */
import { type DispatchPass, type DispatchPlan, PipelineCache } from '@onegpu/core';

const SLOT = Symbol.for('onegpu.null-backend');

interface NullBackend {
  readonly gpu: GPU;
  readonly device: GPUDevice;
  readonly pipelines: PipelineCache;
}

type GlobalWithSlot = typeof globalThis & { [SLOT]?: Promise<NullBackend> };

/** Compiles every pass; throws GpuShaderError with the compiler's words. */
export async function compilePlan(plan: DispatchPlan): Promise<void> {
  const { pipelines } = await nullBackend();
  await Promise.all(plan.passes.map((pass) => pipelines.get(pass)));
}

/** Compiles only the WGSL of a pass as a module: for tiles larger than the null backend's limits. */
export async function compileModule(pass: DispatchPass): Promise<readonly string[]> {
  const { device } = await nullBackend();
  const module = device.createShaderModule({ label: pass.label, code: pass.wgsl });
  const info = await module.getCompilationInfo();
  return info.messages.filter((message) => message.type === 'error').map((message) => message.message);
}

function nullBackend(): Promise<NullBackend> {
  const scope = globalThis as GlobalWithSlot;
  scope[SLOT] ??= start();
  return scope[SLOT];
}

async function start(): Promise<NullBackend> {
  const { create, globals } = await import('webgpu');
  Object.assign(globalThis, globals);
  const gpu = create(['backend=null', 'enable-dawn-features=allow_unsafe_apis']);
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new Error('Dawn has no null backend');
  const device = await adapter.requestDevice({
    requiredFeatures: [...adapter.features] as GPUFeatureName[],
    requiredLimits: {
      maxStorageBuffersPerShaderStage: adapter.limits.maxStorageBuffersPerShaderStage,
      maxComputeWorkgroupStorageSize: adapter.limits.maxComputeWorkgroupStorageSize,
    },
  });
  return { gpu, device, pipelines: new PipelineCache(device) };
}
