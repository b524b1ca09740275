/** What a platform must provide: chosen by the package's `imports` map (`#gpu-provider`). */
import type { AdapterChoice } from './gpu-device.ts';

export interface GpuProvider {
  /** The platform's WebGPU entry point. @throws GpuUnavailableError where there is none. */
  load(): Promise<GPU>;
  /** Why the bundled software adapter is not there, after `load`; undefined when it is or was never meant to be. */
  softwareAdapterNote(): string | undefined;
  /** What helps where there is no adapter of the kind asked for. */
  readonly adapterRemedy: Readonly<Record<AdapterChoice, string>>;
  /** WGSL directives that may stand before every kernel on a device of this platform; they change no result. */
  readonly directives: string;
}
