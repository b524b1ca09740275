/**
 * What was measured on one adapter: layer key -> the choice that was quickest there. Pure data; the planner looks
 * choices up in `fast` mode, and nowhere else.
 */
import type { LayerChoice } from '@onegpu/kernels';
import { type ExecutionLayer, sameChoice } from './execution-layer.ts';

export interface TunedEntry extends LayerChoice {
  /** `ExecutionLayer.stamp` when it was measured. */
  readonly stamp: string;
  /** Microseconds of this choice, and of what the rules choose: the same number where they choose the same. */
  readonly us: number;
  readonly ruleUs: number;
}

export class TuningTable {
  readonly #entries: Map<string, TunedEntry>;
  /** Stamps take a plan a choice; equal layers of a model have the same one. */
  readonly #stamps = new Map<string, string>();

  constructor(entries: Iterable<readonly [string, TunedEntry]> = []) {
    this.#entries = new Map(entries);
  }

  get size(): number {
    return this.#entries.size;
  }

  get entries(): ReadonlyMap<string, TunedEntry> {
    return this.#entries;
  }

  set(layer: ExecutionLayer, entry: Omit<TunedEntry, 'stamp'>): void {
    this.#entries.set(layer.key, { ...entry, stamp: this.#stampOf(layer) });
  }

  delete(layer: ExecutionLayer): void {
    this.#entries.delete(layer.key);
  }

  /** What was measured for this layer; undefined where nothing was, or other kernels were there then. */
  entry(layer: ExecutionLayer): TunedEntry | undefined {
    const entry = this.#entries.get(layer.key);
    if (entry === undefined || entry.stamp !== this.#stampOf(layer)) return undefined;
    return layer.choices().some((choice) => sameChoice(choice, entry)) ? entry : undefined;
  }

  #stampOf(layer: ExecutionLayer): string {
    const { key } = layer;
    const known = this.#stamps.get(key);
    if (known !== undefined) return known;
    const stamp = layer.stamp();
    this.#stamps.set(key, stamp);
    return stamp;
  }
}
