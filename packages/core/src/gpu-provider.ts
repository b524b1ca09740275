/** What a platform must provide: chosen by the package's `imports` map (`#gpu-provider`). */
import type { ErrorDetails } from './errors.ts';
import type { AdapterChoice } from './gpu-device.ts';

/** Why an adapter is not there, as far as that is known, and what helps. */
export type AdapterAbsence = Pick<ErrorDetails, 'got' | 'expected' | 'remedy'>;

export interface GpuProvider {
  /** The platform's WebGPU entry point. @throws GpuUnavailableError where there is none. */
  load(): Promise<GPU>;
  /** For a kind that there is no adapter of, after `load`. */
  adapterAbsence(choice: AdapterChoice): AdapterAbsence;
  /** WGSL directives that may stand before every kernel on a device of this platform; they change no result. */
  readonly directives: string;
}
