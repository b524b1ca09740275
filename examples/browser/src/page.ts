/** What the controls do, and what the page does by itself: when it opens, when something fails, when the device is lost. */
import { GpuDeviceLostError } from '@onegpu/core';
import { CameraRuns } from './camera-runs.ts';
import { addressOf, readCatalogue } from './catalogue.ts';
import { byId } from './dom.ts';
import type { ModelChoice } from './engine.ts';
import { listenToFiles } from './file-drop.ts';
import { Jobs } from './jobs.ts';
import type { PictureChoice } from './picture-source.ts';
import { ProfileRuns } from './profile-runs.ts';
import { RUN_STEPS } from './steps.ts';
import { Workbench } from './workbench.ts';

/** A device that is lost more often than this in a minute is not made again by itself. */
const MOST_LOSSES = 3;

export class Page {
  readonly #jobs = new Jobs({
    onError: (error) => this.#fail(error),
    onBusy: (busy) => byId('result').setAttribute('aria-busy', String(busy)),
  });
  readonly #work = new Workbench({
    onModel: (choice) => this.#chooseModel(choice),
    onPicture: (choice) => this.#choosePicture(choice),
    onSize: () => this.#resize(),
    onLost: (error) => this.#recover(error),
  });
  readonly #profiles = new ProfileRuns(this.#work, this.#jobs);
  readonly #camera = new CameraRuns(this.#work, this.#jobs);
  #losses: number[] = [];

  /** Loads what is bundled and runs it once. */
  start(): Promise<void> {
    const { messages, models, pictures } = this.#work;
    this.#listen();
    this.#jobs.add('start', async () => {
      messages.begin(RUN_STEPS);
      await this.#work.useDevice();
    });
    return this.#jobs.add('begin', async () => {
      const bundled = await readCatalogue();
      models.add(...bundled.models.map((model) => ({ ...model, source: addressOf(model.file) })));
      pictures.add(...bundled.pictures.map(({ title, file }) => ({ title, source: addressOf(file) })));
      if (pictures.selected !== undefined) await this.#work.show(pictures.selected);
      if (models.selected === undefined) return messages.done('Open an ONNX file to begin.');
      await this.#work.run();
      await this.#profiles.measure();
    });
  }

  #listen(): void {
    listenToFiles({
      onModel: (file) => this.#chooseModel({ title: file.name, source: file }),
      onPicture: (file) => this.#choosePicture({ title: file.name, source: file }),
      onOther: (error) => this.#fail(error),
    });
    // Nothing should come here; what does is said all the same.
    addEventListener('unhandledrejection', ({ reason }) => this.#fail(reason));
    addEventListener('error', ({ error, message }) => this.#fail(error ?? message));
    byId('run').addEventListener('click', () => this.#run());
    byId('profile').addEventListener('click', () => this.#act('profile', () => this.#profiles.measure()));
    byId('live').addEventListener('click', () => this.#profiles.toggleLive());
    byId('camera').addEventListener('click', () => this.#toggleCamera());
  }

  /** Something the user asked for: what was wrong before is no longer said. */
  #act(name: string, work: () => Promise<void>): Promise<void> {
    return this.#jobs.add(name, () => {
      this.#work.messages.clearError();
      return work();
    });
  }

  #run(): Promise<void> {
    return this.#act('run', () => this.#work.run());
  }

  #chooseModel(choice: ModelChoice): void {
    this.#act('model', async () => {
      await this.#work.load(choice);
      this.#profiles.clear();
      await this.#work.run();
    });
  }

  #choosePicture(choice: PictureChoice): void {
    this.#camera.stop();
    this.#act('picture', async () => {
      await this.#work.show(choice);
      this.#profiles.clear();
      await this.#work.run();
    });
  }

  #resize(): void {
    this.#act('run', () => {
      this.#profiles.clear();
      return this.#work.run();
    });
  }

  #toggleCamera(): Promise<void> {
    if (!this.#camera.running) {
      this.#profiles.clear();
      return this.#camera.run();
    }
    this.#camera.stop();
    return this.#run();
  }

  /** Says what went wrong; what repeats itself stops. */
  #fail(error: unknown): void {
    if (error instanceof GpuDeviceLostError) return; // Said, and mended, by `#recover`.
    this.#work.messages.error(error);
    this.#stop('That did not work; see the message.');
  }

  /** Ends what goes on by itself. */
  #stop(words: string): void {
    this.#profiles.stop();
    this.#camera.stop();
    this.#work.messages.done(words);
  }

  /** After a loss: a new device, the same model, the same picture. */
  #recover(error: GpuDeviceLostError): void {
    const { messages } = this.#work;
    const now = performance.now();
    this.#losses = [...this.#losses.filter((time) => now - time < 60_000), now];
    messages.error(error);
    if (this.#losses.length > MOST_LOSSES) {
      this.#stop('The device is lost again and again; Run tries once more.');
      return;
    }
    this.#jobs.add('recover', async () => {
      messages.begin(RUN_STEPS, 'Making a new device …');
      await this.#work.run();
      messages.status(`A new device was made. ${messages.words}`);
    });
  }
}
