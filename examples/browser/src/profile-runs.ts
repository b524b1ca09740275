/** Profiles: one, or one after the other until told to stop. Their script is loaded with the first of them. */
import { byId } from './dom.ts';
import type { Jobs } from './jobs.ts';
import { LatePart } from './late-part.ts';
import { namingModel } from './model-error.ts';
import type { Profiler } from './profiler.ts';
import { PROFILE_STEPS } from './steps.ts';
import type { Workbench } from './workbench.ts';

export class ProfileRuns {
  readonly #work: Workbench;
  readonly #jobs: Jobs;
  readonly #script = new LatePart('The part of this page that profiles', () => import('./profiler.ts'));
  #profiler: Profiler | undefined;
  #live = false;

  constructor(work: Workbench, jobs: Jobs) {
    this.#work = work;
    this.#jobs = jobs;
  }

  /** @param saying `quiet`: the status is left alone, for profiles that follow each other */
  async measure(saying: 'steps' | 'quiet' = 'steps'): Promise<void> {
    const { messages } = this.#work;
    if (saying === 'steps') messages.begin(PROFILE_STEPS);
    const request = await this.#work.request();
    if (request === undefined) return;
    try {
      const { Profiler } = await this.#script.get();
      this.#profiler ??= new Profiler(this.#work.engine, this.#work.runner);
      const profiler = this.#profiler;
      await namingModel(request.model.choice.title, () =>
        profiler.profile(request, (stage, done, total) => {
          if (saying === 'steps') messages.tell(stage, done, total);
        }),
      );
    } finally {
      if (saying === 'steps') messages.done(this.#words);
    }
  }

  clear(): void {
    this.#profiler?.clear();
  }

  async toggleLive(): Promise<void> {
    this.#setLive(!this.#live);
    if (!this.#live) return;
    const { messages } = this.#work;
    await this.#jobs.add('profile', () => {
      messages.clearError();
      return this.measure();
    });
    if (this.#live) messages.status('Profiling again and again …');
    while (this.#live) await this.#jobs.add('live', () => this.measure('quiet'));
    if (!messages.hasError) messages.done(this.#words);
  }

  /** No further one begins by itself. */
  stop(): void {
    this.#setLive(false);
  }

  /** What is said when profiles have ended: what the picture's own run found. */
  get #words(): string {
    return this.#work.found ?? 'Every layer was timed.';
  }

  #setLive(live: boolean): void {
    this.#live = live;
    byId('live').setAttribute('aria-pressed', String(live));
  }
}
