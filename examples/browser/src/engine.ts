/**
 * The device and the session behind the page: one device for all models, one session at a time, and both again after
 * the device was lost.
 */
import { GpuDevice, GpuDeviceLostError, InvalidModelError } from '@onegpu/core';
import {
  InferenceSession,
  type ProfileOptions,
  type ProfileReport,
  type ProgressListener,
  type Tensor,
} from '@onegpu/onnx';
import type { ImageInput } from '@onegpu/onnx/image';
import { LatePart } from './late-part.ts';
import { type ModelTask, type TaskHints, taskOf } from './model-task.ts';

/** A model by address, or a file of the user's, read anew where it is needed again; what is known of it besides. */
export interface ModelChoice extends TaskHints {
  readonly title: string;
  readonly source: URL | File;
  readonly note?: string;
}

/** A tensor, or a picture that the GPU makes one of. */
export type PictureFeed = Tensor | ImageInput;

export interface LoadedModel {
  readonly choice: ModelChoice;
  readonly task: ModelTask;
  readonly loadMs: number;
}

export class Engine {
  readonly #onLost: (error: GpuDeviceLostError) => void;
  readonly #operators = new LatePart('A part of the runtime', () => import('./operators.ts'));
  #device: GpuDevice | undefined;
  #session: InferenceSession | undefined;
  #model: LoadedModel | undefined;

  /** @param onLost told when the device is gone without having been asked to; a later `load` makes another */
  constructor(onLost: (error: GpuDeviceLostError) => void) {
    this.#onLost = onLost;
    this.#operators.loadAhead();
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
   * @throws what `InferenceSession.create` throws, InvalidModelError, MissingPartError
   */
  async load(choice: ModelChoice, onProgress: ProgressListener): Promise<LoadedModel> {
    const device = await this.device();
    const start = performance.now();
    const source = choice.source instanceof URL ? choice.source : await bytesOf(choice.source);
    await this.#operators.get();
    const session = await InferenceSession.create(source, { device, onProgress });
    try {
      const task = taskOf(session, choice);
      await this.#session?.release();
      this.#session = session;
      this.#model = { choice, task, loadMs: performance.now() - start };
      return this.#model;
    } catch (error) {
      await session.release();
      throw error;
    }
  }

  /** Compiles what an input of these extents needs. @throws GpuLimitError where it is too large for the adapter */
  async prepare(dims: readonly number[]): Promise<void> {
    const { session, input } = this.#current();
    await session.explain({ [input]: dims });
  }

  /** The model's outputs for a prepared picture. @throws what `InferenceSession.run` throws */
  async run(image: PictureFeed): Promise<Record<string, Tensor>> {
    const { session, input } = this.#current();
    return session.run({ [input]: image });
  }

  async profile(image: PictureFeed, options: ProfileOptions): Promise<ProfileReport> {
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

async function bytesOf(file: File): Promise<ArrayBuffer> {
  try {
    return await file.arrayBuffer();
  } catch (cause) {
    const got = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidModelError('the file cannot be read', { subject: file.name, got }, { cause });
  }
}
