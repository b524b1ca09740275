/**
 * Compiled pipelines of one device: each WGSL text once. The key is the text and its binding layout; nothing is
 * ever keyed by hand. All of a model's pipelines are asked for at once and compile side by side.
 */
import type { DispatchPass } from './dispatch-plan.ts';
import { GpuShaderError } from './errors.ts';

export class PipelineCache {
  readonly #device: GPUDevice;
  readonly #directives: string;
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();
  readonly #layouts = new Map<string, GPUBindGroupLayout>();

  /** @param directives put before every text, on its first line */
  constructor(device: GPUDevice, directives = '') {
    this.#device = device;
    this.#directives = directives;
  }

  /** Number of distinct pipelines asked for so far. */
  get size(): number {
    return this.#pipelines.size;
  }

  /** What has been asked for by now, for `forgetSince`. */
  mark(): ReadonlySet<string> {
    return new Set(this.#pipelines.keys());
  }

  /** Drops what was asked for since the mark but the pipelines of these passes; programs keep those they hold. */
  forgetSince(mark: ReadonlySet<string>, kept: readonly DispatchPass[]): void {
    const keys = new Set(kept.map(pipelineKey));
    for (const key of this.#pipelines.keys()) {
      if (!mark.has(key) && !keys.has(key)) this.#pipelines.delete(key);
    }
  }

  /** The pipeline of a pass. @throws GpuShaderError with the compiler's messages. */
  get(pass: DispatchPass): Promise<GPUComputePipeline> {
    const key = pipelineKey(pass);
    const cached = this.#pipelines.get(key);
    if (cached !== undefined) return cached;
    const compiled = this.#compile(pass);
    this.#pipelines.set(key, compiled);
    compiled.catch(() => this.#pipelines.delete(key));
    return compiled;
  }

  /** The bind group layout of a pass: its storage buffers in order, then its uniform buffer. */
  layout(pass: DispatchPass): GPUBindGroupLayout {
    const key = layoutKey(pass);
    const cached = this.#layouts.get(key);
    if (cached !== undefined) return cached;
    const entries: GPUBindGroupLayoutEntry[] = pass.bindings.map((binding, index) => ({
      binding: index,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: binding.access === 'read' ? 'read-only-storage' : 'storage' },
    }));
    if (pass.params !== undefined) {
      entries.push({
        binding: entries.length,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type: 'uniform' },
      });
    }
    const layout = this.#device.createBindGroupLayout({ label: key, entries });
    this.#layouts.set(key, layout);
    return layout;
  }

  async #compile(pass: DispatchPass): Promise<GPUComputePipeline> {
    const code = this.#directives + pass.wgsl;
    const module = this.#device.createShaderModule({ label: pass.label, code });
    try {
      return await this.#device.createComputePipelineAsync({
        label: pass.label,
        layout: this.#device.createPipelineLayout({ bindGroupLayouts: [this.layout(pass)] }),
        compute: { module, entryPoint: 'main' },
      });
    } catch (cause) {
      throw new GpuShaderError(
        'the kernel does not compile on this device',
        { subject: pass.label, got: await compilerMessages(module, cause) },
        { cause },
      );
    }
  }
}

function pipelineKey(pass: DispatchPass): string {
  return `${layoutKey(pass)}\n${pass.wgsl}`;
}

function layoutKey(pass: DispatchPass): string {
  const letters = pass.bindings.map((binding) => (binding.access === 'read' ? 'r' : 'w'));
  return letters.join('') + (pass.params === undefined ? '' : 'u');
}

async function compilerMessages(module: GPUShaderModule, cause: unknown): Promise<string> {
  const messages = await module.getCompilationInfo().then(
    (info) => info.messages.filter((message) => message.type === 'error'),
    () => [],
  );
  if (messages.length === 0) return cause instanceof Error ? cause.message : String(cause);
  return messages.map((message) => `${message.lineNum}:${message.linePos} ${message.message}`).join('; ');
}
