/**
 * Times the choices of one layer against each other. Each runs once by itself first; what is hopeless there is timed
 * no more. The others take turns, so that a clock that drifts meets them all alike, each timing as many repeats as it
 * takes to be long against its own cost. The quickest of many noisy times is too quick by luck, so it meets the
 * rules' choice a second time, alone, and only that meeting counts.
 */
import {
  type BoundDispatch,
  type DispatchPlan,
  DispatchProgram,
  type GpuDevice,
  GpuDeviceLostError,
  type GpuTimer,
  OneGpuError,
} from '@onegpu/core';
import type { LayerChoice, Refusal } from '@onegpu/kernels';
import type { ExecutionStep } from '../execution-plan.ts';
import { quantile } from '../statistics.ts';
import { choiceName, type ExecutionLayer } from './execution-layer.ts';
import { LayerMemory } from './layer-memory.ts';
import type { TuneSettings } from './tune-settings.ts';

export interface TimedChoice {
  readonly choice: LayerChoice;
  readonly label: string;
  readonly us: number;
}

export interface LayerTimes {
  /** What the rules choose. */
  readonly rule: TimedChoice;
  /** The quickest; `rule` itself where nothing is quicker by the least gain. */
  readonly best: TimedChoice;
  /** Choices that were timed, those among them that were hopeless after one run too. */
  readonly tried: number;
  /** Choices that cannot run here after all. */
  readonly failed: readonly Refusal[];
}

export interface ChoiceBench {
  readonly device: GpuDevice;
  readonly timer: GpuTimer;
  readonly settings: TuneSettings;
}

/** Browsers round timestamps to this many milliseconds; then, and on a wall clock, timings must be longer. */
const COARSE_STEP_MS = 0.1;
const COARSE_TIMING_MS = 8;
const MOST_REPEATS = 256;

/**
 * @param until when to stop trying further choices, as `performance.now()`
 * @returns undefined where time ran out before two choices were timed
 * @throws GpuDeviceLostError; and, where the rules' choice cannot run, what the GPU says
 */
export async function timeChoices(
  bench: ChoiceBench,
  { step, layer, until }: { step: ExecutionStep; layer: ExecutionLayer; until: number },
): Promise<LayerTimes | undefined> {
  const memory = new LayerMemory(bench.device, step);
  const race = new Race(bench, memory, until);
  try {
    await race.enter(layer);
    return await race.run();
  } finally {
    race.destroy();
    memory.destroy();
  }
}

interface Runner {
  readonly choice: LayerChoice;
  readonly bound: BoundDispatch;
  readonly samples: number[];
  /** `repeats` runs, one after the other. */
  program: DispatchProgram;
  repeats: number;
  /** Milliseconds of one run by itself. */
  single: number;
}

class Race {
  readonly #bench: ChoiceBench;
  readonly #memory: LayerMemory;
  readonly #until: number;
  readonly #entered: Runner[] = [];
  /** Those that ran by themselves. */
  readonly #runners: Runner[] = [];
  readonly #failed: Refusal[] = [];
  #coarse: boolean;
  #late = false;

  constructor(bench: ChoiceBench, memory: LayerMemory, until: number) {
    this.#bench = bench;
    this.#memory = memory;
    this.#until = until;
    this.#coarse = bench.timer.source === 'wall clock';
  }

  /** Plans and compiles all choices side by side, then runs each by itself. */
  async enter(layer: ExecutionLayer): Promise<void> {
    const choices = layer.choices();
    const compiled = await Promise.allSettled(choices.map((choice) => this.#compile(layer, choice)));
    for (const [index, choice] of choices.entries()) {
      const result = compiled[index];
      await this.#attempt(choice, index === 0, async () => {
        if (result?.status !== 'fulfilled') throw result?.reason;
        this.#entered.push(await this.#ready(choice, result.value));
      });
    }
    // From here on the GPU is not left idle for long: a probe at a lower clock would look hopeless.
    const [rule] = this.#entered;
    await this.#wake(rule, this.#bench.settings.wakeMs);
    for (const runner of this.#entered) {
      if (this.#isLate()) break;
      await this.#attempt(runner.choice, runner === rule, () => this.#probe(runner));
    }
  }

  async run(): Promise<LayerTimes | undefined> {
    const [rule] = this.#runners;
    if (rule === undefined || (this.#runners.length < 2 && this.#late)) return undefined;
    const { rounds, leastGain, hopeless } = this.#bench.settings;
    const quickest = Math.min(...this.#runners.map(({ single }) => single));
    const alive = this.#runners.filter(
      (runner) => runner === rule || runner.single <= quickest * hopeless + COARSE_STEP_MS / 4,
    );
    await this.#takeTurns(alive, rounds);
    const [best = rule] = [...alive].sort((a, b) => usOf(a) - usOf(b));
    if (best === rule) return this.#times(rule, rule);
    for (const runner of [rule, best]) runner.samples.length = 0;
    await this.#takeTurns([rule, best], rounds);
    return this.#times(rule, usOf(best) <= usOf(rule) * (1 - leastGain) ? best : rule);
  }

  destroy(): void {
    for (const { program } of this.#entered) program.destroy();
  }

  async #compile(layer: ExecutionLayer, choice: LayerChoice): Promise<DispatchPlan> {
    const plan = layer.plan(choice);
    await Promise.all(plan.passes.map((pass) => this.#bench.device.pipelines.get(pass)));
    return plan;
  }

  /** Work on one choice: what cannot run is told of, the rules' choice must. */
  async #attempt(choice: LayerChoice, isRule: boolean, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isRule || !(error instanceof OneGpuError) || error instanceof GpuDeviceLostError) throw error;
      this.#failed.push({ algorithm: choiceName(choice), reason: error.message });
    }
  }

  async #ready(choice: LayerChoice, plan: DispatchPlan): Promise<Runner> {
    const bound = { plan, operands: await this.#memory.operands(plan) };
    const program = await DispatchProgram.create(this.#bench.device, [bound]);
    return { choice, bound, program, repeats: 1, single: Number.POSITIVE_INFINITY, samples: [] };
  }

  async #probe(runner: Runner): Promise<void> {
    const times: number[] = [];
    // The first run touches fresh memory; where time is up it tells what is needed all the same.
    while (times.length < 2 && !(times.length === 1 && this.#isLate())) times.push(await this.#time(runner));
    const isCoarse = (time: number): boolean =>
      Number.isInteger(Math.round(time * 1e6) / (COARSE_STEP_MS * 1e6));
    if (times.every(isCoarse)) this.#coarse = true;
    runner.single = Math.min(...times);
    this.#runners.push(runner);
  }

  async #takeTurns(runners: readonly Runner[], rounds: number): Promise<void> {
    for (const runner of runners) await this.#repeat(runner);
    await this.#wake(runners[0], this.#bench.settings.turnsWakeMs);
    for (let round = 0; round < rounds; round++) {
      for (const runner of runners) {
        if (this.#isLate() && runner.samples.length > 0) continue;
        runner.samples.push((await this.#time(runner)) / runner.repeats);
      }
    }
  }

  #time({ program }: Runner): Promise<number> {
    return this.#bench.timer.time((encoder) => program.encode(encoder));
  }

  /** Planning, compiling and packing let a GPU fall asleep. */
  async #wake(runner: Runner | undefined, ms: number): Promise<void> {
    if (ms === 0 || runner === undefined) return;
    const begin = performance.now();
    while (performance.now() - begin < ms) await this.#time(runner);
  }

  /** As many repeats in a timing as it takes to be long enough. */
  async #repeat(runner: Runner): Promise<void> {
    const { settings, device } = this.#bench;
    const timingMs = this.#coarse ? Math.max(COARSE_TIMING_MS, settings.timingMs) : settings.timingMs;
    const wanted = Math.ceil(timingMs / Math.max(runner.single, 1e-4));
    const repeats = Math.min(MOST_REPEATS, Math.max(1, wanted));
    if (repeats === runner.repeats) return;
    runner.program.destroy();
    runner.program = await DispatchProgram.create(device, Array(repeats).fill(runner.bound));
    runner.repeats = repeats;
  }

  #times(rule: Runner, best: Runner): LayerTimes {
    const timed = (runner: Runner): TimedChoice => ({
      choice: runner.choice,
      label: runner.bound.plan.label,
      us: usOf(runner),
    });
    const ruleTimes = timed(rule);
    return {
      rule: ruleTimes,
      best: best === rule ? ruleTimes : timed(best),
      tried: this.#runners.length,
      failed: this.#failed,
    };
  }

  #isLate(): boolean {
    this.#late ||= performance.now() > this.#until;
    return this.#late;
  }
}

/** The lower quartile: whatever disturbs a timing makes it longer, and the shortest may be luck. */
function usOf({ samples, single }: Runner): number {
  return (samples.length === 0 ? single : quantile(samples, 0.25)) * 1e3;
}
