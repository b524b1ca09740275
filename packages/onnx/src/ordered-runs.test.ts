import { describe, expect, it } from 'vitest';
import { orderedRuns } from './ordered-runs.ts';

class Deferred {
  resolve: (value: string) => void = () => {};
  readonly promise = new Promise<string>((resolve) => {
    this.resolve = resolve;
  });
}

/** Runs that end when the test says so, and what was asked of them. */
class HeldRuns {
  readonly log: string[] = [];
  readonly #held = new Map<string, Deferred>();

  start = async (item: string): Promise<{ outputs: Promise<string> }> => {
    this.log.push(`start ${item}`);
    if (item === 'refused') throw new Error('refused');
    const run = new Deferred();
    this.#held.set(item, run);
    if (item === 'failing') return { outputs: Promise.reject(new Error('failed')) };
    return { outputs: run.promise };
  };

  end(item: string): void {
    this.log.push(`end ${item}`);
    this.#held.get(item)?.resolve(item.toUpperCase());
  }

  *source(items: readonly string[]): Generator<string> {
    try {
      for (const item of items) {
        if (item === 'throwing') throw new Error('source');
        yield item;
      }
    } finally {
      this.log.push('closed');
    }
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

describe('orderedRuns', () => {
  it('keeps at most so many runs open, and gives results in order whichever ends first', async () => {
    const runs = new HeldRuns();
    const items = runs.source(['a', 'b', 'c', 'd']);
    const stream = orderedRuns({ items, start: runs.start, inFlight: 2 });
    expect(runs.log).toEqual([]);
    const first = stream.next();
    await turn();
    expect(runs.log).toEqual(['start a', 'start b']);
    runs.end('b');
    await turn();
    expect(runs.log).toEqual(['start a', 'start b', 'end b']);
    runs.end('a');
    expect(await first).toEqual({ done: false, value: 'A' });
    const rest = [stream.next(), stream.next(), stream.next(), stream.next()];
    await turn();
    expect(runs.log.slice(4)).toEqual(['start c', 'start d']);
    for (const item of ['d', 'c']) runs.end(item);
    const values = (await Promise.all(rest)).map((result) => result.value);
    expect(values).toEqual(['B', 'C', 'D', undefined]);
  });

  it('gives a result while the source is still waiting for its next item', async () => {
    const runs = new HeldRuns();
    const gate = new Deferred();
    async function* slow(): AsyncGenerator<string> {
      yield 'a';
      await gate.promise;
      yield 'b';
    }
    const stream = orderedRuns({ items: slow(), start: runs.start, inFlight: 3 });
    const first = stream.next();
    await turn();
    runs.end('a');
    expect((await first).value).toBe('A');
    gate.resolve('open');
    const second = stream.next();
    await turn();
    runs.end('b');
    expect((await second).value).toBe('B');
    expect((await stream.next()).done).toBe(true);
  });

  it.each([
    ['refused', 'refused'],
    ['failing', 'failed'],
    ['throwing', 'source'],
  ])('ends with the error of an item that is %s, behind the results before it', async (item, message) => {
    const runs = new HeldRuns();
    const items = runs.source(['a', item, 'c', 'd', 'e', 'f']);
    const results: string[] = [];
    const read = (async () => {
      for await (const result of orderedRuns({ items, start: runs.start, inFlight: 3 })) results.push(result);
    })();
    read.catch(() => {});
    await turn();
    for (const open of ['a', 'c', 'd']) runs.end(open);
    await expect(read).rejects.toThrow(message);
    expect(results).toEqual(['A']);
    expect(runs.log.filter((entry) => entry === 'closed')).toHaveLength(1);
    expect(runs.log).not.toContain('start f');
  });

  it('closes the source and waits for what is in flight when the loop is left', async () => {
    const runs = new HeldRuns();
    const items = runs.source(['a', 'b', 'c', 'd']);
    let left = false;
    const read = (async () => {
      for await (const _ of orderedRuns({ items, start: runs.start, inFlight: 3 })) break;
      left = true;
    })();
    await turn();
    runs.end('a');
    await turn();
    expect(runs.log.at(-1)).toBe('closed');
    expect(left).toBe(false);
    for (const item of ['b', 'c']) runs.end(item);
    await read;
    expect(runs.log.filter((entry) => entry.startsWith('start'))).toHaveLength(3);
  });
});
