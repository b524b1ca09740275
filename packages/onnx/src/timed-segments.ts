/**
 * Which dispatches a profiled run times. A pass and its timestamp cost a GPU some microseconds, which would change
 * what is measured, so on hardware a run times every fourth dispatch alone and takes those between in one pass; four
 * runs time each dispatch once. A software adapter's passes cost nothing beside its kernels: there a run times all.
 */

/** One run's compute passes. */
export interface TimedSegments {
  /** Of each pass, the position behind its last dispatch. */
  readonly ends: readonly number[];
  /** The pass that holds each timed dispatch alone, by the dispatch's position; undefined for the others. */
  readonly passOf: readonly (number | undefined)[];
}

/** Runs that time each dispatch once between them. */
export const HARDWARE_RUNS = 4;

/**
 * The runs that time each dispatch once.
 * @param stepOfPass step of each dispatch; the dispatches of a step are timed in one run
 * @param runs 1 or more
 */
export function timedSegments(stepOfPass: readonly number[], runs: number): readonly TimedSegments[] {
  return Array.from({ length: runs }, (_, turn) => {
    const ends: number[] = [];
    const passOf = stepOfPass.map((step, position) => {
      const timed = step % runs === turn;
      const before = stepOfPass[position - 1];
      const joins = !timed && before !== undefined && before % runs !== turn;
      if (joins) ends[ends.length - 1] = position + 1;
      else ends.push(position + 1);
      return timed ? ends.length - 1 : undefined;
    });
    return { ends, passOf };
  });
}
