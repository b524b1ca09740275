/**
 * The device and the session behind the page: one device for all models, one session at a time, and both again after
 * the device was lost.
 */
import { GpuDevice, GpuDeviceLostError } from '@onegpu/core';
import { InferenceSession, type ProfileReport, type ProgressListener, type Tensor } from '@onegpu/onnx';
import { type ModelTask, taskOf } from './model-task.ts';

/** A model by address, or a file of the user's, read anew where it is needed again. */
export interface ModelChoice {
  readonly title: string;
  readonly source: URL | File;
  readonly channelOrder?: 'rgb' | 'bgr';
  readonly note?: string;
}

export interface LoadedModel {
  readonly choice: ModelChoice;
  readonly task: ModelTask;
  readonly loadMs: number;
}

export class Engine {
  readonly #onLost: (error: GpuDeviceLostError) => void;
  #device: GpuDevice | undefined;
  #session: InferenceSession | undefined;
  #model: LoadedModel | undefined;

  /** @param onLost told when the device is gone without having been asked to; a later `load` makes another */
  constructor(onLost: (error: GpuDeviceLostError) => void) {
    this.#onLost = onLost;
  }

  get model(): LoadedModel | undefined {
    return this.#model;
  }

  /** The device, made where there is none. @throws GpuUnavailableError */
  async device(): Promise<GpuDevice> {
    if (this.#device !== undefined) return this.#device;
    const device = await GpuDevice.create();
    this.#device = device;
    device.raw.lost.then(({ reason, message }) => {
      if (this.#device !== device) return;
      this.#device = undefined;
      this.#session = undefined;
      this.#model = undefined;
      this.#onLost(
        new GpuDeviceLostError('the GPU device was lost', {
          subject: 'GpuDevice',
          got: [reason, message].filter(Boolean).join(': '),
          remedy: 'The page makes a new device and loads the model again.',
        }),
      );
    });
    return device;
  }

  /**
   * Loads a model in place of the one before, which stays where this one is refused.
   * @throws what `InferenceSession.create` throws, InvalidModelError
   */
  async load(choice: ModelChoice, onProgress: ProgressListener): Promise<LoadedModel> {
    const device = await this.device();
    const start = performance.now();
    const source = choice.source instanceof URL ? choice.source : await choice.source.arrayBuffer();
    const session = await InferenceSession.create(source, { device, onProgress });
    try {
      const task = taskOf(session, choice.channelOrder);
      await this.#session?.release();
      this.#session = session;
      this.#model = { choice, task, loadMs: performance.now() - start };
      return this.#model;
    } catch (error) {
      await session.release();
      throw error;
    }
  }

  /** The model's outputs for a prepared picture. @throws what `InferenceSession.run` throws */
  async run(image: Tensor): Promise<Record<string, Tensor>> {
    const { session, input } = this.#current();
    return session.run({ [input]: image });
  }

  async profile(
    image: Tensor,
    options: { readonly runs: number; readonly onRun: (done: number, total: number) => void },
  ): Promise<ProfileReport> {
    const { session, input } = this.#current();
    return session.profile({ [input]: image }, options);
  }

  #current(): { readonly session: InferenceSession; readonly input: string } {
    if (this.#session === undefined || this.#model === undefined) {
      throw new GpuDeviceLostError('there is no session', { subject: 'GpuDevice' });
    }
    return { session: this.#session, input: this.#model.task.input.name };
  }
}
