/** Runs on what the camera sees, a frame after the other until told to stop. */
import { InvalidInputError } from '@onegpu/core';
import { Camera, FrameRate } from './camera.ts';
import { byId } from './dom.ts';
import type { Jobs } from './jobs.ts';
import type { Workbench } from './workbench.ts';

export class CameraRuns {
  readonly #work: Workbench;
  readonly #jobs: Jobs;
  readonly #camera = new Camera();

  constructor(work: Workbench, jobs: Jobs) {
    this.#work = work;
    this.#jobs = jobs;
  }

  get running(): boolean {
    return this.#camera.running;
  }

  /** Resolves when the camera has stopped. */
  async run(): Promise<void> {
    await this.#jobs.add('camera', () => this.#start());
    const rate = new FrameRate();
    while (this.#camera.running) {
      await this.#jobs.add('frame', () => this.#runFrame(rate));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }

  stop(): void {
    this.#camera.stop();
    byId('camera').setAttribute('aria-pressed', 'false');
    byId('fps').hidden = true;
  }

  async #start(): Promise<void> {
    const { messages } = this.#work;
    messages.clearError();
    messages.status('Waiting for the camera …');
    await this.#camera.start();
    byId('camera').setAttribute('aria-pressed', 'true');
    byId('fps').hidden = false;
  }

  async #runFrame(rate: FrameRate): Promise<void> {
    const model = await this.#work.currentModel();
    if (!this.#camera.running) return;
    if (model === undefined) {
      throw new InvalidInputError('there is no model to run', {
        subject: 'camera',
        remedy: 'Open an ONNX file.',
      });
    }
    const frame = await this.#camera.frame();
    try {
      await this.#work.runOn(frame, model);
    } finally {
      frame.image.close();
    }
    const fps = rate.count(performance.now());
    byId('fps').textContent = fps === undefined ? '' : `${fps.toFixed(1)} frames a second`;
  }
}
