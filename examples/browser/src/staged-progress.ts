/** How much of a work is done whose steps follow each other: each has its share, and the sum only grows. */

export interface ProgressStep {
  /** What is being done. */
  readonly words: string;
  /** Names under which it is told of; several go on side by side. */
  readonly stages: readonly string[];
  /** Of the whole; those of all steps sum to 1. */
  readonly share: number;
}

export class StagedProgress {
  readonly #steps: readonly ProgressStep[];
  readonly #parts = new Map<string, number>();
  /** Shares of the steps before the first one that was told of: they were done before. */
  #before: number | undefined;
  #most = 0;

  constructor(steps: readonly ProgressStep[]) {
    this.#steps = steps;
  }

  /**
   * Counts what was done of a stage.
   * @param total 0 while unknown
   * @returns the step it belongs to, and the part of the whole from 0 to 1, undefined while nothing of it is known
   */
  tell(
    stage: string,
    done: number,
    total: number,
  ): { readonly words: string; readonly part: number | undefined } {
    const index = this.#steps.findIndex(({ stages }) => stages.includes(stage));
    const step = this.#steps[index];
    if (step === undefined) throw new Error(`no step has the stage "${stage}"`);
    const earlier = this.#steps.slice(0, index).reduce((sum, { share }) => sum + share, 0);
    this.#before ??= earlier;
    if (total > 0) this.#parts.set(stage, done / total);
    const parts = step.stages.map((name) => this.#parts.get(name) ?? 0);
    const own = parts.reduce((sum, part) => sum + part, 0) / parts.length;
    const part = (earlier + step.share * own - this.#before) / (1 - this.#before);
    this.#most = Math.max(this.#most, Math.min(1, part));
    return { words: step.words, part: total === 0 && this.#most === 0 ? undefined : this.#most };
  }
}
