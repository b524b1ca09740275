/**
 * A stream of runs: several in flight, results in the order of their items. While one computes, the item behind it is
 * taken from the source and uploaded and the one before it is read back. The bound on runs in flight is the stream's
 * back pressure: the source is asked for another item only while a result is awaited and fewer runs are open.
 */
import { InvalidInputError } from '@onegpu/core';
import { describe } from './describe.ts';

/** A run whose item has been read; what it gives comes later. */
export interface StartedRun<Result> {
  readonly outputs: Promise<Result>;
}

export interface RunSource<Item, Result> {
  readonly items: Iterable<Item> | AsyncIterable<Item>;
  /** Resolves when the item was read: the source is asked for the next one then, and may reuse its memory. */
  readonly start: (item: Item) => Promise<StartedRun<Result>>;
  /** Runs open at once, at least 1. */
  readonly inFlight: number;
  /** Takes what nobody was given: of runs open when the stream ends early. */
  readonly discard?: (result: Result) => void;
}

/**
 * The results in order. An error of an item, or of the source, comes after the results of all items before it and ends
 * the stream. However it ends, runs in flight are awaited and the source is closed, as `for await` would.
 */
export async function* orderedRuns<Item, Result>(
  source: RunSource<Item, Result>,
): AsyncGenerator<Result, void> {
  const runs = new OrderedRuns(source);
  try {
    for (let run = await runs.next(); run !== undefined; run = await runs.next()) yield await run.outputs;
  } catch (error) {
    await runs.close().catch(() => {}); // The first error is the one to tell.
    throw error;
  } finally {
    await runs.close();
  }
}

class OrderedRuns<Item, Result> {
  readonly #source: RunSource<Item, Result>;
  readonly #items: Iterator<Item> | AsyncIterator<Item>;
  /** Started and not given out, the oldest first. */
  readonly #open: StartedRun<Result>[] = [];
  /** An item being taken and read; neither rejects. */
  #taking: Promise<void> | undefined;
  #starting: Promise<void> | undefined;
  /** No item is taken any more: the source has ended, an item failed, or nobody reads on. */
  #last = false;
  /** The source has ended or thrown: it needs no closing. */
  #exhausted = false;

  constructor(source: RunSource<Item, Result>) {
    this.#source = source;
    this.#items = iteratorOf(source.items);
  }

  /** The oldest run, settled; undefined after the last one. */
  async next(): Promise<StartedRun<Result> | undefined> {
    for (;;) {
      if (!this.#last && this.#open.length < this.#source.inFlight) this.#taking ??= this.#take();
      const [oldest] = this.#open;
      if (oldest === undefined && this.#taking === undefined) return undefined;
      const isTaken = await this.#takenBefore(oldest);
      if (!isTaken) return this.#open.shift();
    }
  }

  /** Closes the source where it has more, waits for the runs in flight and discards them. A second call does nothing. */
  async close(): Promise<void> {
    const isOpen = !this.#exhausted;
    this.#last = true;
    this.#exhausted = true;
    try {
      if (isOpen) await this.#items.return?.();
    } finally {
      await this.#starting;
      const settled = await Promise.allSettled(this.#open.splice(0).map((run) => run.outputs));
      for (const run of settled) if (run.status === 'fulfilled') this.#source.discard?.(run.value);
    }
  }

  /** Waits for the item being taken or the oldest run, whichever is first; says whether it was the item. */
  async #takenBefore(oldest: StartedRun<Result> | undefined): Promise<boolean> {
    const waits: Promise<boolean>[] = [];
    if (this.#taking !== undefined) waits.push(this.#taking.then(() => true));
    if (oldest !== undefined) {
      waits.push(
        oldest.outputs.then(
          () => false,
          () => false,
        ),
      );
    }
    const isTaken = await Promise.race(waits);
    if (isTaken) this.#taking = undefined;
    return isTaken;
  }

  async #take(): Promise<void> {
    try {
      const { done, value } = await this.#items.next();
      if (done === true) {
        this.#last = true;
        this.#exhausted = true;
      } else if (!this.#last) {
        this.#starting = this.#startRun(value);
        await this.#starting;
      }
    } catch (error) {
      this.#exhausted = true;
      this.#fail(error);
    }
  }

  async #startRun(item: Item): Promise<void> {
    try {
      const run = await this.#source.start(item);
      run.outputs.catch(() => {
        this.#last = true; // Nothing behind an error is given out. It is told in its turn.
      });
      this.#open.push(run);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The stream ends with this error, behind the results before it. */
  #fail(error: unknown): void {
    const outputs = Promise.reject(error);
    outputs.catch(() => {});
    this.#open.push({ outputs });
    this.#last = true;
  }
}

function iteratorOf<Item>(items: Iterable<Item> | AsyncIterable<Item>): Iterator<Item> | AsyncIterator<Item> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}

/** @throws InvalidInputError for what a caller without types may give */
export function checkStream(items: unknown, inFlight: number): void {
  const iterable = typeof items === 'object' && items !== null;
  if (!iterable || !(Symbol.asyncIterator in items || Symbol.iterator in items)) {
    throw new InvalidInputError('the feeds cannot be iterated', {
      subject: 'runMany',
      field: 'feeds',
      got: items === null ? 'null' : typeof items,
      expected: 'an array, a generator or another iterable of feeds',
      remedy: 'Give a single record of feeds to run.',
    });
  }
  if (Number.isSafeInteger(inFlight) && inFlight >= 1) return;
  throw new InvalidInputError('the number of runs in flight is not one', {
    subject: 'runMany',
    field: 'inFlight',
    got: describe(inFlight),
    expected: 'an integer of 1 or more',
  });
}
