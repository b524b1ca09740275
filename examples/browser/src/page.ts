/** What the controls do, and what the page does by itself when it opens. */
import { type GpuDevice, GpuDeviceLostError, InvalidInputError } from '@onegpu/core';
import type { LoadProgress } from '@onegpu/onnx';
import { showAdapter } from './adapter-view.ts';
import { Camera, FrameRate } from './camera.ts';
import { addressOf, readCatalogue } from './catalogue.ts';
import { Choices } from './choices.ts';
import { byId } from './dom.ts';
import { Engine, type LoadedModel, type ModelChoice } from './engine.ts';
import { listenToFiles } from './file-drop.ts';
import { Jobs } from './jobs.ts';
import { Messages } from './messages.ts';
import { type PictureChoice, readPicture } from './picture-source.ts';
import type { ImageSource } from './prepare-image.ts';
import { ProfileView } from './profile-view.ts';
import { ResultView } from './result-view.ts';
import { Runner } from './runner.ts';

const STAGES: Readonly<Record<LoadProgress['stage'], string>> = {
  read: 'Reading the model',
  import: 'Importing the model',
  tune: 'Measuring kernels',
  compile: 'Compiling kernels',
  upload: 'Uploading weights',
};

/** Longest side of the input to begin with, where it may be chosen. */
const FIRST_SIDE = { software: '320', hardware: '960' };
/** A device that is lost more often than this in a minute is not made again by itself. */
const MOST_LOSSES = 3;

export class Page {
  readonly #messages = new Messages();
  readonly #result = new ResultView();
  readonly #profile = new ProfileView();
  readonly #camera = new Camera();
  readonly #engine = new Engine((error) => this.#recover(error));
  readonly #runner = new Runner(this.#engine);
  readonly #jobs = new Jobs({
    onError: (error) => this.#fail(error),
    onBusy: (busy) => byId('result').setAttribute('aria-busy', String(busy)),
  });
  readonly #models = new Choices<ModelChoice>('model', (choice) => this.#chooseModel(choice));
  readonly #pictures = new Choices<PictureChoice>('image', (choice) => this.#choosePicture(choice));
  #device: GpuDevice | undefined;
  #modelChoice: ModelChoice | undefined;
  #pictureChoice: PictureChoice | undefined;
  #picture: ImageSource | undefined;
  #losses: number[] = [];
  #live = false;

  /** Loads what is bundled and runs it once. */
  start(): Promise<void> {
    this.#listen();
    this.#jobs.add('start', async () => {
      this.#messages.progress({ done: 0, total: 0 });
      await this.#useDevice();
    });
    return this.#jobs.add('begin', async () => {
      const { models, pictures } = await readCatalogue();
      this.#models.add(...models.map((model) => ({ ...model, source: addressOf(model.file) })));
      this.#pictures.add(...pictures.map(({ title, file }) => ({ title, source: addressOf(file) })));
      const picture = this.#pictures.selected;
      if (picture !== undefined) await this.#show(picture);
      const model = this.#models.selected;
      if (model === undefined) return this.#done('Open an ONNX file to begin.');
      await this.#load(model);
      await this.#run();
      await this.#measure();
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
    byId('run').addEventListener('click', () => this.#act('run', () => this.#run()));
    byId('profile').addEventListener('click', () => this.#act('profile', () => this.#measure()));
    byId('size').addEventListener('change', () => this.#act('run', () => this.#run()));
    byId('live').addEventListener('click', () => this.#toggleLive());
    byId('camera').addEventListener('click', () => this.#toggleCamera());
  }

  /** Something the user asked for: what was wrong before is no longer said. */
  #act(name: string, work: () => Promise<void>): Promise<void> {
    return this.#jobs.add(name, () => {
      this.#messages.clearError();
      return work();
    });
  }

  #chooseModel(choice: ModelChoice): void {
    this.#act('model', async () => {
      try {
        await this.#load(choice);
      } finally {
        if (this.#modelChoice !== undefined) this.#models.select(this.#modelChoice);
      }
      this.#profile.clear();
      this.#result.clear();
      await this.#run();
    });
  }

  #choosePicture(choice: PictureChoice): void {
    this.#stopCamera();
    this.#act('picture', async () => {
      try {
        await this.#show(choice);
      } finally {
        if (this.#pictureChoice !== undefined) this.#pictures.select(this.#pictureChoice);
      }
      this.#profile.clear();
      await this.#run();
    });
  }

  async #useDevice(): Promise<GpuDevice> {
    const device = await this.#engine.device();
    if (this.#device === undefined) {
      byId('size', HTMLSelectElement).value = device.capabilities.software
        ? FIRST_SIDE.software
        : FIRST_SIDE.hardware;
    }
    if (this.#device !== device) showAdapter(device);
    this.#device = device;
    return device;
  }

  async #load(choice: ModelChoice): Promise<LoadedModel> {
    await this.#useDevice();
    const model = await this.#engine.load(choice, (progress) => this.#tell(progress));
    this.#modelChoice = choice;
    this.#models.select(choice);
    byId('size-field').hidden = !model.task.freeSize;
    const note = byId('model-note');
    note.textContent = choice.note ?? '';
    note.hidden = note.textContent === '';
    return model;
  }

  async #show(choice: PictureChoice): Promise<void> {
    const before = this.#picture;
    this.#picture = await readPicture(choice);
    if (before?.image instanceof ImageBitmap) before.image.close();
    this.#pictureChoice = choice;
    this.#pictures.select(choice);
    this.#result.show(this.#picture);
  }

  #tell({ stage, done, total }: LoadProgress): void {
    this.#messages.status(`${STAGES[stage]} …`);
    this.#messages.progress({ done, total });
  }

  #done(words: string): void {
    this.#messages.status(words);
    this.#messages.progress();
  }

  /** The model that is loaded; loads the chosen one where the device was lost or did not load it before. */
  async #currentModel(): Promise<LoadedModel | undefined> {
    const choice = this.#modelChoice ?? this.#models.selected;
    if (this.#engine.model !== undefined || choice === undefined) return this.#engine.model;
    return this.#load(choice);
  }

  async #run(): Promise<void> {
    const model = await this.#currentModel();
    const picture = this.#picture;
    if (model === undefined || picture === undefined) {
      return this.#done(model === undefined ? 'Open an ONNX file to begin.' : 'Open a picture to begin.');
    }
    this.#messages.status('Running …');
    this.#messages.progress({ done: 0, total: 0 });
    this.#done(await this.#runOn(picture, model));
  }

  /** @returns what was found, in words */
  async #runOn(picture: ImageSource, model: LoadedModel): Promise<string> {
    const { result, facts } = await this.#runner.run({ model, picture, longestSide: this.#longestSide });
    return this.#result.showResult(picture, result, facts);
  }

  get #longestSide(): number {
    return Number(byId('size', HTMLSelectElement).value);
  }

  /** @param saying `quiet`: the status is left alone, for profiles that follow each other */
  async #measure(saying: 'steps' | 'quiet' = 'steps'): Promise<void> {
    const model = await this.#currentModel();
    const picture = this.#picture;
    if (model === undefined || picture === undefined) return this.#run();
    const before = byId('status').textContent ?? '';
    const report = await this.#runner.profile(
      { model, picture, longestSide: this.#longestSide },
      {
        onStep: (words) => saying === 'steps' && this.#messages.status(words),
        onPart: (done, total) => saying === 'steps' && this.#messages.progress({ done, total }),
      },
    );
    this.#profile.show(report);
    this.#done(before);
  }

  async #toggleLive(): Promise<void> {
    this.#setLive(!this.#live);
    if (!this.#live) return;
    await this.#act('profile', () => this.#measure());
    const before = byId('status').textContent ?? '';
    if (this.#live) this.#messages.status('Profiling again and again …');
    while (this.#live) await this.#jobs.add('live', () => this.#measure('quiet'));
    if (byId('error').hidden) this.#done(before);
  }

  #setLive(live: boolean): void {
    this.#live = live;
    byId('live').setAttribute('aria-pressed', String(live));
  }

  async #toggleCamera(): Promise<void> {
    if (this.#camera.running) {
      this.#stopCamera();
      return this.#act('run', () => this.#run());
    }
    await this.#act('camera', async () => {
      this.#messages.status('Waiting for the camera …');
      try {
        await this.#camera.start();
      } catch (error) {
        this.#done('No camera.');
        throw error;
      }
      byId('camera').setAttribute('aria-pressed', 'true');
      byId('fps').hidden = false;
    });
    const rate = new FrameRate();
    while (this.#camera.running) {
      await this.#jobs.add('frame', () => this.#runFrame(rate));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }

  async #runFrame(rate: FrameRate): Promise<void> {
    const model = await this.#currentModel();
    if (!this.#camera.running) return;
    if (model === undefined) {
      throw new InvalidInputError('there is no model to run', {
        subject: 'camera',
        remedy: 'Open an ONNX file.',
      });
    }
    const frame = await this.#camera.frame();
    try {
      this.#done(await this.#runOn(frame, model));
    } finally {
      frame.image.close();
    }
    const fps = rate.count(performance.now());
    byId('fps').textContent = fps === undefined ? '' : `${fps.toFixed(1)} frames a second`;
  }

  #stopCamera(): void {
    this.#camera.stop();
    byId('camera').setAttribute('aria-pressed', 'false');
    byId('fps').hidden = true;
  }

  /** Says what went wrong; what repeats itself stops. */
  #fail(error: unknown): void {
    if (error instanceof GpuDeviceLostError) return; // Said, and mended, by `#recover`.
    this.#messages.error(error);
    this.#stop('That did not work; see the message.');
  }

  /** Ends what goes on by itself. */
  #stop(words: string): void {
    this.#setLive(false);
    this.#stopCamera();
    this.#done(words);
  }

  /** After a loss: a new device, the same model, the same picture. */
  #recover(error: GpuDeviceLostError): void {
    const now = performance.now();
    this.#losses = [...this.#losses.filter((time) => now - time < 60_000), now];
    this.#messages.error(error);
    if (this.#losses.length > MOST_LOSSES) {
      this.#stop('The device is lost again and again; Run tries once more.');
      return;
    }
    this.#jobs.add('recover', async () => {
      this.#messages.status('Making a new device …');
      await this.#run();
      this.#messages.status(`A new device was made. ${byId('status').textContent ?? ''}`);
    });
  }
}
