/** The device, the model and the picture that are there, and what is done with them: load, show, run. */
import type { GpuDevice, GpuDeviceLostError } from '@onegpu/core';
import { showAdapter } from './adapter-view.ts';
import { Choices } from './choices.ts';
import { byId } from './dom.ts';
import { Engine, type LoadedModel, type ModelChoice } from './engine.ts';
import { Messages } from './messages.ts';
import { namingModel } from './model-error.ts';
import { type PictureChoice, readPicture } from './picture-source.ts';
import type { ImageSource } from './prepare-image.ts';
import { ResultView } from './result-view.ts';
import { Runner, type RunRequest } from './runner.ts';
import { SizeChoice } from './size-choice.ts';
import { RUN_STEPS } from './steps.ts';

/** Longest side of the input to begin with, where it may be chosen. */
const FIRST_SIDE = { software: 320, hardware: 960 };

export interface WorkbenchEvents {
  onModel(choice: ModelChoice): void;
  onPicture(choice: PictureChoice): void;
  onSize(): void;
  onLost(error: GpuDeviceLostError): void;
}

export class Workbench {
  readonly messages = new Messages();
  readonly engine: Engine;
  readonly runner: Runner;
  readonly models: Choices<ModelChoice>;
  readonly pictures: Choices<PictureChoice>;
  readonly #size: SizeChoice;
  readonly #result = new ResultView();
  #device: GpuDevice | undefined;
  #modelChoice: ModelChoice | undefined;
  #pictureChoice: PictureChoice | undefined;
  #picture: ImageSource | undefined;
  #found: string | undefined;

  constructor(events: WorkbenchEvents) {
    this.engine = new Engine((error) => events.onLost(error));
    this.runner = new Runner(this.engine);
    this.models = new Choices('model', (choice) => events.onModel(choice));
    this.pictures = new Choices('image', (choice) => events.onPicture(choice));
    this.#size = new SizeChoice(() => events.onSize());
  }

  /** What the last run found, in words; undefined without one of this model and picture. */
  get found(): string | undefined {
    return this.#found;
  }

  /** The device, made and shown where there is none. @throws GpuUnavailableError */
  async useDevice(): Promise<void> {
    const device = await this.engine.device();
    if (this.#device === device) return;
    if (this.#device === undefined) {
      const { software } = device.capabilities;
      this.#size.longestSide = software ? FIRST_SIDE.software : FIRST_SIDE.hardware;
    }
    showAdapter(device);
    this.#device = device;
  }

  /** In place of the model before, which stays where this one is refused. */
  async load(choice: ModelChoice): Promise<LoadedModel> {
    try {
      this.messages.begin(RUN_STEPS, 'Loading the model …');
      await this.useDevice();
      const model = await namingModel(choice.title, () =>
        this.engine.load(choice, ({ stage, done, total }) => this.messages.tell(stage, done, total)),
      );
      this.#modelChoice = choice;
      this.#size.free = model.task.freeSize;
      this.#showNote(choice.note);
      this.#result.clear();
      this.#found = undefined;
      return model;
    } finally {
      if (this.#modelChoice !== undefined) this.models.select(this.#modelChoice);
    }
  }

  /** In place of the picture before, which stays where this one cannot be read. */
  async show(choice: PictureChoice): Promise<void> {
    try {
      const picture = await readPicture(choice);
      if (this.#picture?.image instanceof ImageBitmap) this.#picture.image.close();
      this.#picture = picture;
      this.#pictureChoice = choice;
      this.#result.show(picture);
      this.#found = undefined;
    } finally {
      if (this.#pictureChoice !== undefined) this.pictures.select(this.#pictureChoice);
    }
  }

  /** The model that is loaded; loads the chosen one where the device was lost or did not load it before. */
  async currentModel(): Promise<LoadedModel | undefined> {
    const choice = this.#modelChoice ?? this.models.selected;
    if (this.engine.model !== undefined || choice === undefined) return this.engine.model;
    return this.load(choice);
  }

  /** What a run needs; undefined, and said so, where a model or a picture is missing. */
  async request(): Promise<RunRequest | undefined> {
    const model = await this.currentModel();
    const picture = this.#picture;
    if (model !== undefined && picture !== undefined) return this.#requestOf(model, picture);
    this.messages.done(model === undefined ? 'Open an ONNX file to begin.' : 'Open a picture to begin.');
    return undefined;
  }

  /** Runs the model on the picture and shows what it finds. */
  async run(): Promise<void> {
    this.messages.begin(RUN_STEPS);
    const request = await this.request();
    if (request === undefined) return;
    await namingModel(request.model.choice.title, () => this.runner.compile(request));
    this.messages.tell('run', 0, 0);
    await this.#runAs(request);
  }

  /** The same for a picture that is not kept. */
  runOn(picture: ImageSource, model: LoadedModel): Promise<void> {
    return this.#runAs(this.#requestOf(model, picture));
  }

  async #runAs(request: RunRequest): Promise<void> {
    const { model, picture } = request;
    const { result, facts } = await namingModel(model.choice.title, () => this.runner.run(request));
    this.#found = this.#result.showResult(picture, result, facts);
    this.messages.done(this.#found);
  }

  #requestOf(model: LoadedModel, picture: ImageSource): RunRequest {
    return { model, picture, longestSide: this.#size.longestSide };
  }

  #showNote(words = ''): void {
    const note = byId('model-note');
    note.textContent = words;
    note.hidden = words === '';
  }
}
