/** From a picture to a result: compile for its extents, prepare it, run, read; and how long that took. */
import { Tensor } from '@onegpu/onnx';
import type { Engine, LoadedModel, PictureFeed } from './engine.ts';
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
  async run(request: RunRequest): Promise<RunResult> {
    const { model, picture } = request;
    const spec = await this.compile(request);
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

  /** What a profile of the picture is fed, with all compiled that it needs. */
  async prepare(request: RunRequest): Promise<PictureFeed> {
    const spec = await this.compile(request);
    return prepareImage(request.picture, spec);
  }

  /**
   * Done before the first run of these extents, so that its time is that of a run; too large an input stops here.
   * @returns what the picture is to become
   */
  async compile({ model, picture, longestSide }: RunRequest): Promise<ImageSpec> {
    const spec = imageSpec(model.task, picture, longestSide);
    const shape = spec.dims.join();
    if (this.#compiled.model === model && this.#compiled.shape === shape) return spec;
    const start = performance.now();
    await this.#engine.prepare(spec.dims);
    this.#compiled = { model, shape, ms: performance.now() - start };
    return spec;
  }
}
