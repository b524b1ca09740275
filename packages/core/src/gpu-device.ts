/**
 * The device everything runs on: adapter choice, capabilities, buffers with their accounting, compiled pipelines
 * and the loss of the device. Hardware is preferred, the bundled software adapter is the fallback.
 */
import { gpuProvider } from '#gpu-provider';
import { type GpuCapabilities, LIMIT_NAMES, readCapabilities } from './capabilities.ts';
import { chooseAdapter } from './choose-adapter.ts';
import {
  GpuDeviceLostError,
  GpuLimitError,
  GpuOutOfMemoryError,
  GpuUnavailableError,
  GpuValidationError,
  type OneGpuError,
} from './errors.ts';
import { alignUp } from './gpu-buffer.ts';
import { PipelineCache } from './pipeline-cache.ts';
import { StagingPool } from './staging-pool.ts';

/** `hardware` and `software` refuse the other kind; `auto` takes hardware where there is any. */
export type AdapterChoice = 'auto' | 'hardware' | 'software';

export interface GpuDeviceOptions {
  readonly adapter?: AdapterChoice;
  /** A device of the caller's own: used as it is and never destroyed by us. */
  readonly device?: GPUDevice;
  /** Whether WGSL is also checked for uniform control flow where the platform can leave that out. Default `skip`. */
  readonly uniformity?: 'check' | 'skip';
}

/** Live buffers and textures of a device made through `createBuffer` and `createTexture`. */
export interface GpuMemory {
  /** Textures are counted too. */
  readonly buffers: number;
  readonly bytes: number;
}

/** What `watch` has run. */
export interface Watched<T> {
  readonly value: T;
  /** Rejects with GpuDeviceLostError, GpuOutOfMemoryError or GpuValidationError; whoever takes the value awaits it. */
  readonly checked: Promise<void>;
}

const ALL_SCOPES = ['validation', 'out-of-memory', 'internal'] as const;

/** Where a device comes from: whether it is ours, WGSL's features there, and directives that its kernels may have. */
interface DeviceOrigin {
  readonly owned: boolean;
  readonly language: ReadonlySet<string> | undefined;
  readonly directives: string;
}

const OPTIONAL_FEATURES = [
  'timestamp-query',
  'shader-f16',
  'subgroups',
  'subgroup-size-control',
  'chromium-experimental-subgroup-matrix',
];

export class GpuDevice {
  readonly raw: GPUDevice;
  readonly capabilities: GpuCapabilities;
  readonly pipelines: PipelineCache;
  readonly staging: StagingPool;
  readonly #owned: boolean;
  readonly #live = new Map<GPUBuffer | GPUTexture, number>();
  #lost: GpuDeviceLostError | undefined;
  #failure: OneGpuError | undefined;

  private constructor(raw: GPUDevice, { owned, language, directives }: DeviceOrigin) {
    this.raw = raw;
    this.#owned = owned;
    this.capabilities = readCapabilities(raw.adapterInfo, raw, language);
    this.pipelines = new PipelineCache(raw, directives);
    this.staging = new StagingPool(this);
    raw.lost.then((info) => {
      this.#lost = new GpuDeviceLostError('the GPU device was lost', {
        subject: 'GpuDevice',
        got: `${info.reason ?? 'unknown'}: ${info.message}`,
        remedy: 'Create a new session.',
      });
    });
    raw.addEventListener('uncapturederror', (event) => {
      event.preventDefault();
      this.#failure ??= toTypedError(event.error, 'GpuDevice');
    });
  }

  /**
   * @throws GpuUnavailableError when there is no WebGPU or no adapter of the kind asked for.
   */
  static async create(options: GpuDeviceOptions = {}): Promise<GpuDevice> {
    if (options.device !== undefined) {
      return new GpuDevice(options.device, { owned: false, language: languageOfPage(), directives: '' });
    }
    const adapter = await chooseAdapter(options.adapter ?? 'auto', gpuProvider);
    const features = OPTIONAL_FEATURES.filter((feature) => adapter.features.has(feature as GPUFeatureName));
    const limits = Object.fromEntries(LIMIT_NAMES.map((name) => [name, adapter.limits[name]]));
    try {
      const raw = await adapter.requestDevice({
        label: 'onegpu',
        requiredFeatures: features as GPUFeatureName[],
        requiredLimits: limits,
      });
      const language = (await gpuProvider.load()).wgslLanguageFeatures;
      const directives = options.uniformity === 'check' ? '' : gpuProvider.directives;
      return new GpuDevice(raw, { owned: true, language, directives });
    } catch (cause) {
      throw new GpuUnavailableError(
        'the adapter gives no device',
        {
          subject: describeAdapter(adapter.info),
          got: cause instanceof Error ? cause.message : String(cause),
        },
        { cause },
      );
    }
  }

  /** Live buffers and textures, and their bytes. */
  get memory(): GpuMemory {
    let bytes = 0;
    for (const size of this.#live.values()) bytes += size;
    return { buffers: this.#live.size, bytes };
  }

  /** True once the device is lost or disposed. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** @throws GpuDeviceLostError once the device is lost or disposed; GpuValidationError after an uncaught error. */
  assertUsable(): void {
    if (this.#lost !== undefined) throw this.#lost;
    const failure = this.#failure;
    if (failure === undefined) return;
    this.#failure = undefined;
    throw failure;
  }

  /**
   * A buffer of at least 4 bytes, its size rounded up to a multiple of 4.
   * @throws GpuLimitError, GpuOutOfMemoryError, GpuDeviceLostError
   */
  async createBuffer(descriptor: GPUBufferDescriptor & { label: string }): Promise<GPUBuffer> {
    this.assertUsable();
    const size = Math.max(4, alignUp(descriptor.size, 4));
    this.#checkSize(descriptor, size);
    return this.#make(descriptor.label, size, () => this.raw.createBuffer({ ...descriptor, size }));
  }

  /** A texture of so many bytes; destroyed like a buffer. @throws GpuOutOfMemoryError, GpuValidationError, GpuDeviceLostError */
  createTexture(descriptor: GPUTextureDescriptor & { label: string }, bytes: number): Promise<GPUTexture> {
    return this.#make(descriptor.label, bytes, () => this.raw.createTexture(descriptor));
  }

  async #make<T extends GPUBuffer | GPUTexture>(label: string, bytes: number, create: () => T): Promise<T> {
    let made: T | undefined;
    try {
      return await this.guard(label, () => {
        made = create();
        this.#live.set(made, bytes);
        return made;
      });
    } catch (error) {
      if (made !== undefined) this.#live.delete(made);
      throw error;
    }
  }

  destroyBuffer(buffer: GPUBuffer | GPUTexture): void {
    this.#live.delete(buffer);
    buffer.destroy();
  }

  /**
   * Runs `work` inside validation, out-of-memory and internal error scopes: whatever WebGPU refuses becomes a
   * typed error, so zeros never pass for an answer.
   */
  async guard<T>(subject: string, work: () => T): Promise<T> {
    this.assertUsable();
    const { value, checked } = this.watch(subject, work);
    await checked;
    return value;
  }

  /**
   * As `guard`, for work whose result is wanted before WebGPU has said whether it refuses any of it; does not ask
   * whether the device is usable. `scopes` may leave out kinds of errors that the work cannot cause.
   */
  watch<T>(subject: string, work: () => T, scopes: readonly GPUErrorFilter[] = ALL_SCOPES): Watched<T> {
    for (const scope of scopes) this.raw.pushErrorScope(scope);
    const popped: Promise<GPUError | null>[] = [];
    let value: T;
    try {
      value = work();
    } finally {
      for (const _ of scopes) popped.push(this.raw.popErrorScope().catch(() => null));
    }
    return { value, checked: this.#check(subject, popped) };
  }

  async #check(subject: string, popped: readonly Promise<GPUError | null>[]): Promise<void> {
    const errors = await Promise.all(popped);
    if (this.#lost !== undefined) throw this.#lost;
    const error = errors.find((entry) => entry !== null);
    if (error) throw toTypedError(error, subject);
  }

  /** Destroys the device unless it is the caller's own; pending and later work rejects with GpuDeviceLostError. */
  async disposeAsync(): Promise<void> {
    this.staging.clear();
    for (const buffer of [...this.#live.keys()]) this.destroyBuffer(buffer);
    this.#lost ??= new GpuDeviceLostError('the device was disposed', { subject: 'GpuDevice' });
    if (!this.#owned) return;
    this.raw.destroy();
    await this.raw.lost;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disposeAsync();
  }

  #checkSize(descriptor: GPUBufferDescriptor & { label: string }, size: number): void {
    const limit = this.capabilities.limits.maxBufferSize;
    if (size <= limit && Number.isSafeInteger(size)) return;
    throw new GpuLimitError('the buffer is larger than this adapter allows', {
      subject: descriptor.label,
      field: 'maxBufferSize',
      got: `${size} bytes`,
      expected: `at most ${limit}`,
      remedy: 'Use a smaller input or batch, or an adapter with a larger limit.',
    });
  }
}

/** WGSL's features where the page has WebGPU; of a device that someone else made elsewhere nothing is known. */
function languageOfPage(): ReadonlySet<string> | undefined {
  return (globalThis.navigator as Navigator | undefined)?.gpu?.wgslLanguageFeatures;
}

/** `vendor architecture, description`, as reports print it. */
export function describeAdapter(
  info: Pick<GPUAdapterInfo, 'vendor' | 'architecture' | 'description'>,
): string {
  const name = [info.vendor, info.architecture].filter(Boolean).join(' ');
  return [name, info.description].filter(Boolean).join(', ') || 'unknown adapter';
}

function toTypedError(error: GPUError, subject: string): OneGpuError {
  const details = { subject, got: error.message.trim() };
  return error instanceof GPUOutOfMemoryError
    ? new GpuOutOfMemoryError('the GPU has not enough memory', {
        ...details,
        remedy: 'Use a smaller input or batch, or release other sessions.',
      })
    : new GpuValidationError('WebGPU refused a call', details);
}
