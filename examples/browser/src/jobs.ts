/**
 * Work on the one device and session, a job after the other: choosing, running and profiling may be asked for at any
 * time. A waiting job gives way to a later one of its name; what a job throws is told, and the next one runs.
 */
export interface JobEvents {
  onError(error: unknown): void;
  onBusy(busy: boolean): void;
}

export class Jobs {
  readonly #events: JobEvents;
  readonly #newest = new Map<string, number>();
  #last: Promise<void> = Promise.resolve();
  #count = 0;
  #open = 0;

  constructor(events: JobEvents) {
    this.#events = events;
  }

  /** Resolves when the job has ended or given way, whatever came of it. */
  add(name: string, work: () => Promise<void>): Promise<void> {
    const number = ++this.#count;
    this.#newest.set(name, number);
    if (this.#open++ === 0) this.#events.onBusy(true);
    const job = this.#last.then(async () => {
      try {
        if (this.#newest.get(name) === number) await work();
      } catch (error) {
        this.#events.onError(error);
      } finally {
        if (--this.#open === 0) this.#events.onBusy(false);
      }
    });
    this.#last = job;
    return job;
  }
}
