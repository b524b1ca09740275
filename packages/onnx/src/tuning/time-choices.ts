/**
 * Times the choices of one layer against each other. Each runs once by itself first; what is hopeless there is timed
 * no more. The others take turns, so that a clock that drifts meets them all alike, each timing as many repeats as it
 * takes to be long against its own cost. The quickest of many noisy times is too quick by luck, so it meets the
 * rules' choice a second time, alone, and only that meeting counts.
 */
import {
  type DispatchPlan,
  DispatchProgram,
  type GpuBuffer,
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
  readonly plan: DispatchPlan;
  readonly operands: Readonly<Record<string, GpuBuffer>>;
  /** Milliseconds of one run by itself. */
  readonly single: number;
  readonly samples: number[];
  program?: DispatchProgram;
  repeats: number;
}

class Race {
  readonly #bench: ChoiceBench;
  readonly #memory: LayerMemory;
  readonly #until: number;
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
    const planned = choices.map((choice) => this.#compile(layer, choice));
    for (const waiting of planned) waiting.catch(() => {}); // Each is awaited in its turn.
    for (const [index, choice] of choices.entries()) {
      if (this.#isLate()) return;
      try {
        const runner = await this.#probe(choice, await (planned[index] as Promise<DispatchPlan>));
        this.#runners.push(runner);
      } catch (error) {
        if (index === 0 || !(error instanceof OneGpuError) || error instanceof GpuDeviceLostError)
          throw error;
        this.#failed.push({ algorithm: choiceName(choice), reason: error.message });
      }
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
    for (const { program } of this.#runners) program?.destroy();
  }

  async #compile(layer: ExecutionLayer, choice: LayerChoice): Promise<DispatchPlan> {
    const plan = layer.plan(choice);
    await Promise.all(plan.passes.map((pass) => this.#bench.device.pipelines.get(pass)));
    return plan;
  }

  async #probe(choice: LayerChoice, plan: DispatchPlan): Promise<Runner> {
    const { device, timer } = this.#bench;
    const operands = await this.#memory.operands(plan);
    const program = await DispatchProgram.create(device, [{ plan, operands }]);
    try {
      const times: number[] = [];
      // The first run touches fresh memory; where it takes long enough it tells what is needed all the same.
      while (times.length < 2 && !(times.length === 1 && this.#isLate())) {
        times.push(await timer.time((encoder) => program.encode(encoder)));
      }
      if (times.every((time) => Number.isInteger(Math.round(time * 1e6) / (COARSE_STEP_MS * 1e6)))) {
        this.#coarse = true;
      }
      return { choice, plan, operands, single: Math.min(...times), samples: [], repeats: 1 };
    } finally {
      program.destroy();
    }
  }

  async #takeTurns(runners: readonly Runner[], rounds: number): Promise<void> {
    const { timer } = this.#bench;
    await this.#wake();
    for (let round = 0; round < rounds; round++) {
      for (const runner of runners) {
        if (this.#isLate() && runner.samples.length > 0) continue;
        const program = await this.#programOf(runner);
        runner.samples.push((await timer.time((encoder) => program.encode(encoder))) / runner.repeats);
      }
    }
  }

  /** Planning, compiling and packing let a GPU fall asleep. */
  async #wake(): Promise<void> {
    const { timer, settings } = this.#bench;
    const [rule] = this.#runners;
    if (settings.wakeMs === 0 || rule === undefined) return;
    const program = await this.#programOf(rule);
    const begin = performance.now();
    while (performance.now() - begin < settings.wakeMs)
      await timer.time((encoder) => program.encode(encoder));
  }

  async #programOf(runner: Runner): Promise<DispatchProgram> {
    if (runner.program !== undefined) return runner.program;
    const { settings, device } = this.#bench;
    const timingMs = this.#coarse ? Math.max(COARSE_TIMING_MS, settings.timingMs) : settings.timingMs;
    runner.repeats = Math.min(MOST_REPEATS, Math.max(1, Math.ceil(timingMs / Math.max(runner.single, 1e-4))));
    const { plan, operands } = runner;
    runner.program = await DispatchProgram.create(device, Array(runner.repeats).fill({ plan, operands }));
    return runner.program;
  }

  #times(rule: Runner, best: Runner): LayerTimes {
    const timed = (runner: Runner): TimedChoice => ({
      choice: runner.choice,
      label: runner.plan.label,
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
