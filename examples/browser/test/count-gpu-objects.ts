/** Counts what a page makes of WebGPU: put into it before its own script, in place of nothing. */

export interface GpuCounts {
  /** Alive now. */
  buffers: number;
  bytes: number;
  textures: number;
  querySets: number;
  /** Made so far: these have no end of their own. */
  made: Record<string, number>;
}

declare global {
  var gpuCounts: GpuCounts;
  var gpuDevices: GPUDevice[];
}

/** Runs in the page, so it uses nothing from outside. */
export function countGpuObjects(): void {
  const counts: GpuCounts = { buffers: 0, bytes: 0, textures: 0, querySets: 0, made: {} };
  globalThis.gpuCounts = counts;
  globalThis.gpuDevices = [];
  type Methods = Record<string, (...args: unknown[]) => unknown>;
  const around = (
    prototype: object,
    name: string,
    after: (owner: unknown, result: unknown) => void,
  ): void => {
    const methods = prototype as Methods;
    const original = methods[name];
    methods[name] = function (this: unknown, ...args: unknown[]) {
      const result = original?.apply(this, args);
      after(this, result);
      return result;
    };
  };
  const living = new Set<unknown>();
  const count = (kind: 'buffers' | 'textures' | 'querySets', object: unknown, sign: 1 | -1): void => {
    if (sign === -1 && !living.delete(object)) return;
    if (sign === 1) living.add(object);
    counts[kind] += sign;
    if (kind === 'buffers') counts.bytes += sign * (object as GPUBuffer).size;
  };
  around(GPUDevice.prototype, 'createBuffer', (_, made) => count('buffers', made, 1));
  around(GPUDevice.prototype, 'createTexture', (_, made) => count('textures', made, 1));
  around(GPUDevice.prototype, 'createQuerySet', (_, made) => count('querySets', made, 1));
  around(GPUBuffer.prototype, 'destroy', (owner) => count('buffers', owner, -1));
  around(GPUTexture.prototype, 'destroy', (owner) => count('textures', owner, -1));
  around(GPUQuerySet.prototype, 'destroy', (owner) => count('querySets', owner, -1));
  for (const name of [
    'createBindGroup',
    'createShaderModule',
    'createComputePipelineAsync',
    'createSampler',
  ]) {
    around(GPUDevice.prototype, name, () => {
      counts.made[name] = (counts.made[name] ?? 0) + 1;
    });
  }
  around(GPUAdapter.prototype, 'requestDevice', (_, made) => {
    (made as Promise<GPUDevice>).then((device) => globalThis.gpuDevices.push(device));
  });
}
