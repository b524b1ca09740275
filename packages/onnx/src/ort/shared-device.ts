/**
 * The device that sessions of onnxruntime's API share, as they do there, behind `env.webgpu`. It lives while a session
 * does; asked for through `env.webgpu.device`, it stays.
 */
import { GpuDevice, InvalidInputError } from '@onegpu/core';
import type { Env } from 'onnxruntime-common';

export interface DeviceLease {
  readonly device: GpuDevice;
  /** The last one to end disposes of the device, where it is not the caller's. */
  end(): Promise<void>;
}

export interface DeviceSource {
  /** @throws GpuUnavailableError, InvalidInputError for settings that are refused */
  lease(): Promise<DeviceLease>;
}

/** A caller's own device, for one session. */
export class GivenDevice implements DeviceSource {
  readonly #raw: GPUDevice;

  /** @throws InvalidInputError for something that is no GPUDevice */
  constructor(raw: unknown, field: string) {
    this.#raw = checkedDevice(raw, field);
  }

  async lease(): Promise<DeviceLease> {
    const device = await GpuDevice.create({ device: this.#raw });
    return { device, end: () => device.disposeAsync() };
  }
}

export class SharedDevice implements DeviceSource {
  readonly #flags: Env.WebGpuFlags;
  #given: GPUDevice | undefined;
  #made: Promise<Shared> | undefined;

  /** `flags`: onnxruntime-common's `env.webgpu`, which gets its property `device`. */
  constructor(flags: Env.WebGpuFlags) {
    this.#flags = flags;
    const before: unknown = Object.getOwnPropertyDescriptor(flags, 'device')?.value;
    if (before !== undefined) this.#given = checkedDevice(before, 'webgpu.device');
    Object.defineProperty(flags, 'device', {
      configurable: true,
      enumerable: false, // A copy of the flags makes no device.
      get: async () => (await this.lease()).device.raw,
      set: (value: unknown) => this.#give(checkedDevice(value, 'webgpu.device')),
    });
  }

  async lease(): Promise<DeviceLease> {
    const shared = await this.#leased();
    let ended: Promise<void> | undefined;
    const end = (): Promise<void> => {
      ended ??= this.#end(shared);
      return ended;
    };
    return { device: shared.device, end };
  }

  /** What `env.webgpu` asks for and nothing does. */
  warnings(): readonly string[] {
    const { powerPreference, profilingMode, profiling, validateInputContent } = this.#flags;
    const asked = {
      'env.webgpu.powerPreference: the adapter asked for is the high-performance one':
        powerPreference === 'low-power',
      "env.webgpu.profiling: use `profile` of @onegpu/onnx's own session":
        (profiling?.mode ?? profilingMode ?? 'off') !== 'off',
      'env.webgpu.validateInputContent: names, types and extents are validated, not values':
        validateInputContent === true,
    };
    return Object.entries(asked).flatMap(([text, wanted]) => (wanted ? [text] : []));
  }

  #give(raw: GPUDevice): void {
    if (this.#made !== undefined) {
      throw new InvalidInputError('sessions have a device already', {
        subject: 'env',
        field: 'webgpu.device',
        remedy: "Set it before the first session, or give a session its own: { name: 'webgpu', device }.",
      });
    }
    this.#given = raw;
  }

  async #make(): Promise<GpuDevice> {
    const { forceFallbackAdapter, adapter } = this.#flags;
    if (adapter !== undefined && adapter !== null) {
      throw new InvalidInputError('an adapter is not taken', {
        subject: 'env',
        field: 'webgpu.adapter',
        remedy: 'Make a device of it and set `env.webgpu.device`.',
      });
    }
    if (this.#given !== undefined) return GpuDevice.create({ device: this.#given });
    return GpuDevice.create({ adapter: forceFallbackAdapter === true ? 'software' : 'auto' });
  }

  /**
   * The device there is, another one once it is lost. Counted in the same step: the last lease before may end in the next
   * one, and dispose of it.
   */
  async #leased(): Promise<Shared> {
    this.#made ??= this.#make().then((device) => ({ device, leases: 0 }));
    const made = this.#made;
    try {
      const shared = await made;
      if (!shared.device.isLost) {
        shared.leases++;
        return shared;
      }
    } catch (error) {
      this.#forget(made);
      throw error;
    }
    this.#forget(made);
    return this.#leased();
  }

  #forget(made: Promise<Shared>): void {
    if (this.#made === made) this.#made = undefined;
  }

  async #end(shared: Shared): Promise<void> {
    shared.leases--;
    if (shared.leases > 0) return;
    const made = this.#made;
    // Marked as lost at once: a session made meanwhile gets another.
    await shared.device.disposeAsync();
    if (made !== undefined && (await made.catch(() => undefined)) === shared) this.#forget(made);
  }
}

interface Shared {
  readonly device: GpuDevice;
  leases: number;
}

function checkedDevice(value: unknown, field: string): GPUDevice {
  const device = value as Partial<GPUDevice> | null | undefined;
  if (typeof device?.createBuffer === 'function' && device.queue !== undefined) return device as GPUDevice;
  throw new InvalidInputError('this is no device', {
    subject: 'env',
    field,
    got: value === null ? 'null' : typeof value,
    expected: 'a GPUDevice',
  });
}
