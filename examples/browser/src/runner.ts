/** From a picture to a result and to a profile: compile for its extents, prepare it, run, read; and how long that took. */
import { type ProfileReport, Tensor } from '@onegpu/onnx';
import type { Engine, LoadedModel } from './engine.ts';
import { type Fact, milliseconds } from './facts.ts';
import { imageSpec } from './model-task.ts';
import { type ImageSource, type ImageSpec, prepareImage } from './prepare-image.ts';
import { type Result, readResult } from './results.ts';

export interface RunResult {
  readonly result: Result;
  readonly facts: readonly Fact[];
}

export interface RunRequest {
  readonly model: LoadedModel;
  readonly picture: ImageSource;
  /** Limits the longer side of the input, in pixels, where the model leaves it free. */
  readonly longestSide: number;
}

/** Timed runs of a profile. */
const PROFILE_RUNS = { software: 1, hardware: 5 };

export interface ProfileSteps {
  onStep(words: string): void;
  onPart(done: number, total: number): void;
}

export class Runner {
  readonly #engine: Engine;
  #compiled: { readonly model?: LoadedModel; readonly shape: string; readonly ms: number } = {
    shape: '',
    ms: 0,
  };

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** @throws what `InferenceSession.run` throws, InvalidInputError for the picture, InvalidModelError for the output */
  async run({ model, picture, longestSide }: RunRequest): Promise<RunResult> {
    const spec = imageSpec(model.task, picture, longestSide);
    await this.#compile(spec, model);
    const start = performance.now();
    const image = prepareImage(picture, spec);
    const prepared = performance.now();
    const outputs = await this.#engine.run(image);
    const ran = performance.now();
    const result = readResult(model.task, outputs, picture);
    const facts: Fact[] = [
      ['Run', milliseconds(ran - prepared)],
      ['Prepare picture', image instanceof Tensor ? milliseconds(prepared - start) : 'on the GPU'],
      ['Read result', milliseconds(performance.now() - ran)],
      ['Load model', milliseconds(model.loadMs)],
      ['Compile', milliseconds(this.#compiled.ms)],
      ['Input', image.dims.join(' × ')],
    ];
    return { result, facts };
  }

  /** Times every layer, set against what the adapter was measured to do at most. */
  async profile({ model, picture, longestSide }: RunRequest, steps: ProfileSteps): Promise<ProfileReport> {
    const { capabilities } = await this.#engine.device();
    if (capabilities.timestamps) {
      steps.onStep('Measuring what the adapter can do at most …');
      await this.#engine.measureCeilings(steps.onPart);
    }
    const spec = imageSpec(model.task, picture, longestSide);
    await this.#compile(spec, model);
    steps.onStep('Timing every layer …');
    return this.#engine.profile(prepareImage(picture, spec), {
      runs: capabilities.software ? PROFILE_RUNS.software : PROFILE_RUNS.hardware,
      onRun: steps.onPart,
    });
  }

  /** Before the first run of these extents, so that its time is that of a run; too large an input stops here. */
  async #compile({ dims }: ImageSpec, model: LoadedModel): Promise<void> {
    const shape = dims.join();
    if (this.#compiled.model === model && this.#compiled.shape === shape) return;
    const start = performance.now();
    await this.#engine.prepare(dims);
    this.#compiled = { model, shape, ms: performance.now() - start };
  }
}
