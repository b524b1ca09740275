/** The backend that onnxruntime-common makes sessions with. */
import type { Backend, InferenceSessionHandler, InferenceSession as Ort } from 'onnxruntime-common';
import { gpuOutputNames } from '../gpu-outputs.ts';
import { InferenceSession } from '../session.ts';
import { checkBufferTypes } from './convert-tensors.ts';
import { resolveOverrides } from './free-dimensions.ts';
import { warnAbout } from './option-rules.ts';
import { providerOptions } from './provider-options.ts';
import { SessionHandler } from './session-handler.ts';
import { sessionOptions } from './session-options.ts';
import type { SharedDevice } from './shared-device.ts';

export const PROVIDER_NAMES = ['onegpu', 'webgpu'] as const;

export class OneGpuBackend implements Backend {
  readonly #shared: SharedDevice;

  constructor(shared: SharedDevice) {
    this.#shared = shared;
  }

  /** A device is made with the first session: it may be given until then. */
  async init(): Promise<void> {}

  async createInferenceSessionHandler(
    source: string | Uint8Array,
    options: Ort.SessionOptions = {},
  ): Promise<InferenceSessionHandler> {
    const warnings: string[] = [];
    const provider = providerOptions(options.executionProviders, warnings);
    const settings = { ...provider.settings, ...(await sessionOptions(options, warnings)) };
    const device = provider.device ?? (provider.settings.adapter === undefined ? this.#shared : undefined);
    const lease = await device?.lease();
    let session: InferenceSession | undefined;
    try {
      session = await InferenceSession.create(source, {
        ...settings,
        ...(lease === undefined ? {} : { device: lease.device }),
      });
      checkBufferTypes(session.outputs, gpuOutputNames(session.outputs, settings.preferredOutputLocation));
      const overrides = resolveOverrides(session, options.freeDimensionOverrides, warnings);
      if (lease !== undefined) warnings.push(...this.#shared.warnings());
      warnAbout(warnings, options.logSeverityLevel);
      return new SessionHandler({ session, overrides, ended: () => lease?.end() });
    } catch (error) {
      await session?.release();
      await lease?.end();
      throw error;
    }
  }
}
