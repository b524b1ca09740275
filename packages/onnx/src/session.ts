/**
 * InferenceSession: a model on a device. The shape of onnxruntime-common's class, so that its users change an
 * import; and `profile`, `explain`.
 *
 * Runs of one session may overlap: inputs are written and commands submitted in one synchronous step, the queue keeps
 * their order, and every run reads back into a buffer of its own.
 */
import { describeAdapter, type GpuDevice, SessionReleasedError } from '@onegpu/core';
import type { NumericMode } from '@onegpu/kernels/core';
import { ArenaSet } from './arena-set.ts';
import { ConstantStore } from './constant-store.ts';
import { checkOptions } from './describe.ts';
import { type ExplainReport, explainPlan } from './explain.ts';
import { extensionForOption, type Planner } from './extension.ts';
import {
  type Feeds,
  gpuFedInputs,
  type InputDims,
  resolveDims,
  resolveFeeds,
  shapeKey,
  singleFeeds,
} from './feeds.ts';
import type { SingleFeeds } from './gpu-feed.ts';
import { checkReuse, gpuOutputNames } from './gpu-outputs.ts';
import type { GraphValue } from './graph.ts';
import { HostFeeds, hostValueOf } from './host-feeds.ts';
import { inferShapes } from './infer-shapes.ts';
import { letGoOfConstants } from './let-go.ts';
import { checkAborted } from './load-progress.ts';
import type { ModelInput } from './model-source.ts';
import type { ValueInfo } from './op-definition.ts';
import { checkStream, orderedRuns, type StartedRun } from './ordered-runs.ts';
import { forAdapter, type PreparedModel } from './prepare-model.ts';
import { PreparedPlan } from './prepared-plan.ts';
import type { ProfileOptions } from './profile.ts';
import type { ProfileReport } from './profile-report.ts';
import { type RunRequest, type SubmittedRun, submitRun, takeOutputs } from './run.ts';
import { type Fetches, KeptOutputs, resolveFetches } from './run-outputs.ts';
import { RunSlots } from './run-slots.ts';
import { type SessionOptions, takeSessionOptions } from './session-options.ts';
import { modelAndDevice, plannerFor } from './session-start.ts';
import { checkValueSizes } from './size-limits.ts';
import type { Tensor } from './tensor.ts';

export interface RunManyOptions {
  /** Runs open at once, 1 or more; each has a readback buffer of its own. Default 3. */
  readonly inFlight?: number;
  /** `reused`: a result's arrays are filled anew once the next result has been asked for. Default `new`. */
  readonly outputs?: 'new' | 'reused';
}

type Results = Record<string, Tensor>;

const DEFAULT_IN_FLIGHT = 3;

/** Plans kept for different input shapes; the least recently used one goes first. */
const KEPT_PLANS = 8;

export class InferenceSession {
  readonly #device: GpuDevice;
  readonly #ownsDevice: boolean;
  readonly #model: PreparedModel;
  readonly #options: SessionOptions;
  readonly #arenas: ArenaSet;
  readonly #constants: ConstantStore;
  readonly #slots: RunSlots;
  readonly #gpuOutputs: ReadonlySet<string>;
  readonly #hostFeeds: HostFeeds;
  readonly #algorithms = new Map<string, string>();
  readonly #planner: Planner;
  readonly #plans = new Map<string, Promise<PreparedPlan>>();
  readonly #running = new Set<Promise<unknown>>();
  #released: Promise<void> | undefined;

  private constructor(device: GpuDevice, model: PreparedModel, options: SessionOptions) {
    this.#device = device;
    this.#ownsDevice = options.device === undefined;
    this.#model = model;
    this.#options = options;
    this.#hostFeeds = new HostFeeds(model.graph);
    this.#arenas = new ArenaSet(device);
    this.#constants = new ConstantStore(device, 'weights');
    this.#gpuOutputs = gpuOutputNames(model.graph.outputs, options.preferredOutputLocation);
    this.#slots = new RunSlots(device, this.#gpuOutputs);
    this.#planner = plannerFor(device, options);
  }

  /**
   * Loads a model from a path (Node.js), a URL, or its bytes.
   * @throws InvalidModelError, UnsupportedOperatorError (every unsupported node at once), GpuUnavailableError,
   * InvalidInputError for options that are none, LoadAbortedError
   */
  static async create(source: ModelInput, given: SessionOptions = {}): Promise<InferenceSession> {
    const options = takeSessionOptions(given);
    const [model, device] = await modelAndDevice(source, options);
    let session: InferenceSession | undefined;
    try {
      const fused = forAdapter(model, device.capabilities, options.fusions);
      session = new InferenceSession(device, fused, options);
      checkAborted(options.signal, model.source);
      if (options.dims !== undefined) await session.#prepareAhead(options.dims);
      checkAborted(options.signal, model.source);
      return session;
    } catch (error) {
      if (session !== undefined) await session.release();
      else if (options.device === undefined) await device.disposeAsync();
      throw error;
    }
  }

  /** Inputs a run must feed. */
  get inputs(): readonly GraphValue[] {
    return this.#model.graph.inputs;
  }

  get outputs(): readonly GraphValue[] {
    return this.#model.graph.outputs;
  }

  get inputNames(): readonly string[] {
    return this.inputs.map((input) => input.name);
  }

  get outputNames(): readonly string[] {
    return this.outputs.map((output) => output.name);
  }

  get device(): GpuDevice {
    return this.#device;
  }

  /**
   * Runs the model; dense tensors in and out. Feeds are read while it runs: leave their data alone until it resolves.
   * Where all outputs stay on the GPU, it resolves as soon as the run is submitted.
   * @param fetches the outputs wanted, all unless given; a record may bring tensors to be filled in place of new ones
   * @throws InvalidInputError, GpuKernelShapeError, GpuLimitError, GpuOutOfMemoryError, GpuDeviceLostError,
   * SessionReleasedError; none of them but the last two ends the session.
   */
  run(feeds: Feeds, fetches?: Fetches): Promise<Record<string, Tensor>> {
    return this.#track(async () => {
      const targets = resolveFetches(this.outputs, fetches);
      return (await this.#start({ feeds: singleFeeds(feeds), targets })).outputs;
    });
  }

  /**
   * Runs the model on each of many feeds, several in flight: one is uploaded and another read back while a third
   * computes. Results come in order. A feed has been read when the next one is asked for, so a source may fill the
   * same arrays again. An error, as of `run`, comes after the results before it and ends the stream; leaving the loop
   * early is fine. Nothing runs before the first result is asked for.
   * @throws InvalidInputError for feeds that cannot be iterated and `inFlight` that is no count
   */
  runMany(
    feeds: Iterable<Feeds> | AsyncIterable<Feeds>,
    options: RunManyOptions = {},
  ): AsyncGenerator<Results, void> {
    checkOptions('runMany', options, ['inFlight', 'outputs']);
    const { inFlight = DEFAULT_IN_FLIGHT, outputs = 'new' } = options;
    checkStream(feeds, inFlight);
    checkReuse(outputs, this.#gpuOutputs);
    const all = resolveFetches(this.outputs, undefined);
    const kept = new KeptOutputs(this.outputs, inFlight + 1);
    const start = async (item: Feeds): Promise<StartedRun<Results>> => {
      const single = singleFeeds(item);
      if (outputs === 'new')
        return this.#throttled(await this.#startTracked({ feeds: single, targets: all }));
      const { targets, keep } = kept.take();
      const run = await this.#startTracked({ feeds: single, targets });
      run.outputs.then(keep, () => {});
      return run;
    };
    const discard = (results: Results): void => {
      for (const tensor of Object.values(results)) tensor.dispose(); // On the GPU they hold memory.
    };
    return orderedRuns({ items: feeds, inFlight, start, discard });
  }

  /**
   * Times every dispatch on the GPU and the parts of a run on the host.
   * @throws InvalidInputError in browsers where `@onegpu/onnx/full` was not imported
   */
  profile(feeds: Feeds, options: ProfileOptions = {}): Promise<ProfileReport> {
    return this.#track(async () => {
      checkOptions('profile', options, ['runs', 'onRun']);
      const extension = extensionForOption('InferenceSession', 'profile');
      const single = singleFeeds(feeds);
      const plan = await this.#prepareFor(single);
      return extension.profilePlan(
        this.#device,
        { plan, model: this.#model, mode: this.#mode, feeds: single, outputs: this.outputs },
        options,
      );
    });
  }

  /** What runs for these input shapes: algorithms and why others were refused, fusions, host nodes, memory. */
  explain(dims: InputDims): Promise<ExplainReport> {
    return this.#track(async () => {
      const plan = await this.#prepare(resolveDims(this.#model.graph, dims));
      const adapter = describeAdapter(this.#device.capabilities);
      return explainPlan({ adapter, mode: this.#mode, plan, model: this.#model, dims });
    });
  }

  /** Waits for runs in flight, then frees every buffer, and the device where it is the session's own. */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  get #mode(): NumericMode {
    return this.#options.mode ?? 'fast';
  }

  async #release(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    const plans = await Promise.allSettled(this.#plans.values());
    this.#slots.clear();
    for (const plan of plans) if (plan.status === 'fulfilled') plan.value.destroy();
    this.#plans.clear();
    this.#constants.destroy();
    this.#arenas.destroy();
    if (this.#ownsDevice) await this.#device.disposeAsync();
  }

  async #track<T>(work: () => Promise<T>): Promise<T> {
    if (this.#released !== undefined) {
      throw new SessionReleasedError('the session was released', { subject: 'InferenceSession' });
    }
    this.#device.assertUsable();
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** As `#start`, the session being busy until the outputs are there. */
  #startTracked(request: RunRequest): Promise<StartedRun<Results>> {
    return new Promise((resolve, reject) => {
      const outputs = this.#track(async () => {
        const started = await this.#start(request);
        resolve({ outputs });
        return started.outputs;
      });
      outputs.catch(reject);
    });
  }

  /** Of a stream: outputs that are not read back are given when the GPU has made them, which bounds the runs in flight. */
  #throttled(run: StartedRun<Results>): StartedRun<Results> {
    if (this.#gpuOutputs.size === 0) return run;
    const done = this.#device.raw.queue.onSubmittedWorkDone();
    return { outputs: run.outputs.finally(() => done) };
  }

  /** Resolves when the feeds were read, with what the run will give. */
  async #start(request: RunRequest): Promise<StartedRun<Results>> {
    const plan = await this.#prepareFor(request.feeds);
    const slot = await this.#slots.acquire(plan, gpuFedInputs(request.feeds));
    try {
      return { outputs: this.#finish(await submitRun(this.#device, slot, request)) };
    } catch (error) {
      slot.destroy();
      throw error;
    }
  }

  async #finish(run: SubmittedRun): Promise<Results> {
    try {
      await run.mapped;
      const outputs = takeOutputs(run);
      this.#slots.release(run.slot);
      return outputs;
    } catch (error) {
      run.discard();
      run.slot.destroy();
      throw error;
    }
  }

  /** The plan for a run, with the values of inputs that decide shapes. */
  async #prepareFor(feeds: SingleFeeds): Promise<PreparedPlan> {
    const inputs = resolveFeeds(this.#model.graph, feeds);
    for (;;) {
      try {
        return await this.#prepare(this.#hostFeeds.withValues(inputs, feeds));
      } catch (error) {
        if (!this.#hostFeeds.learn(error, feeds)) throw error;
      }
    }
  }

  async #prepareAhead(dims: InputDims): Promise<void> {
    checkOptions('SessionOptions.dims', dims, this.inputNames);
    if (this.inputNames.some((name) => !Object.hasOwn(dims, name))) return;
    try {
      await this.#prepare(resolveDims(this.#model.graph, dims));
    } catch (error) {
      if (hostValueOf(error) === undefined) throw error;
    }
  }

  #prepare(inputs: ReadonlyMap<string, ValueInfo>): Promise<PreparedPlan> {
    const key = shapeKey(inputs);
    const cached = this.#plans.get(key);
    this.#plans.delete(key);
    const plan = cached ?? this.#makePlan(inputs);
    this.#plans.set(key, plan);
    if (cached === undefined) {
      plan.catch(() => this.#plans.delete(key));
      this.#evict();
    }
    return plan;
  }

  #evict(): void {
    for (const [key, plan] of this.#plans) {
      if (this.#plans.size <= KEPT_PLANS) return;
      this.#plans.delete(key);
      // Runs in flight may still encode with it.
      const idle = Promise.allSettled([...this.#running]);
      Promise.all([plan, idle]).then(
        ([prepared]) => {
          this.#slots.clear(prepared);
          prepared.destroy();
        },
        () => {},
      );
    }
  }

  /** Whether no other shapes, and no other values that decide shapes, can be fed. */
  #isOnlyPlan(inputs: ReadonlyMap<string, ValueInfo>): boolean {
    const isFixed = this.inputs.every(({ dims }) => dims?.every((extent) => typeof extent === 'number'));
    return isFixed && [...inputs.values()].every(({ constant }) => constant === undefined);
  }

  async #makePlan(inputs: ReadonlyMap<string, ValueInfo>): Promise<PreparedPlan> {
    const { graph } = this.#model;
    const inferred = inferShapes(graph, inputs);
    checkValueSizes(graph, inferred, this.#device.capabilities.limits);
    const execution = await this.#planner.plan({
      graph: { ...graph, nodes: [...inferred.nodes] },
      values: inferred.values,
      capabilities: this.#device.capabilities,
      mode: this.#mode,
      algorithms: this.#algorithms,
      ...(this.#options.inputLayout === undefined ? {} : { inputLayout: this.#options.inputLayout }),
    });
    const report = this.#options.onProgress ?? (() => {});
    const plan = await PreparedPlan.create(
      { device: this.#device, arenas: this.#arenas, constants: this.#constants },
      { execution, inferred },
      {
        onCompiled: (done, total) => report({ stage: 'compile', done, total }),
        onUploaded: (done, total) => report({ stage: 'upload', done, total }),
      },
    );
    if (this.#isOnlyPlan(inputs)) letGoOfConstants(this.#model, inferred);
    return plan;
  }
}
