/**
 * Images a second: of this library over a stream of runs, several of them in flight; of a peer over one run after
 * another, from its median.
 */
import type { Runner, RunnerFeeds } from './runner.ts';

/** Runs before the clock starts: as many as are in flight, so that it starts in the steady state. */
const FILLING = 3;

/** Images a second of `runs` runs of `batch` images; undefined for a runner that has no stream. */
export async function streamThroughput(
  runner: Runner,
  feeds: RunnerFeeds,
  { runs, batch }: { readonly runs: number; readonly batch: number },
): Promise<number | undefined> {
  if (runner.stream === undefined) return undefined;
  let given = 0;
  let begin = 0;
  for await (const _ of runner.stream(repeated(feeds, FILLING + runs))) {
    given += 1;
    if (given === FILLING) begin = performance.now();
  }
  return imagesPerSecond(runs * batch, performance.now() - begin);
}

/** @param ms of all of them */
export function imagesPerSecond(images: number, ms: number): number {
  return (images / ms) * 1000;
}

function* repeated<T>(item: T, count: number): Generator<T> {
  for (let index = 0; index < count; index++) yield item;
}
