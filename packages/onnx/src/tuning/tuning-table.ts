/**
 * What was measured on one adapter: layer key -> the choice that was quickest there. Pure data; the planner looks
 * choices up in `fast` mode, and nowhere else.
 */
import type { GpuCapabilities, GpuElementType } from '@onegpu/core';
import type { LayerChoice, TunableLayer } from '@onegpu/kernels';
import { choiceName, type ExecutionLayer, executionLayer, sameChoice } from './execution-layer.ts';

export interface TunedEntry extends LayerChoice {
  /** Microseconds of this choice, and of what the rules choose: the same number where they choose the same. */
  readonly us: number;
  readonly ruleUs: number;
  /** `ExecutionLayer.stamp` of this choice and the rules' one when they were measured. */
  readonly stamp: string;
  /** The same of all choices. */
  readonly triedStamp: string;
}

export class TuningTable {
  readonly #entries: Map<string, TunedEntry>;
  /** Stamps take a plan a text; equal layers of a model have the same ones. */
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

  /** What the planner looks up by, of a layer over operands of these types. */
  layer(
    layer: TunableLayer,
    types: Readonly<Record<string, GpuElementType>>,
    target: GpuCapabilities,
  ): ExecutionLayer {
    return executionLayer(layer, types, target);
  }

  set(layer: ExecutionLayer, entry: Omit<TunedEntry, 'stamp' | 'triedStamp'>): void {
    const stamps = { stamp: this.#stampOf(layer, entry), triedStamp: layer.stamp(layer.choices()) };
    this.#entries.set(layer.key, { ...entry, ...stamps });
  }

  /** What was measured for this layer; undefined where nothing was, or its kernel or the rules' one was another then. */
  entry(layer: ExecutionLayer): TunedEntry | undefined {
    const entry = this.#entries.get(layer.key);
    if (entry === undefined || !layer.choices().some((choice) => sameChoice(choice, entry))) return undefined;
    return entry.stamp === this.#stampOf(layer, entry) ? entry : undefined;
  }

  /** Whether also no kernel that lost was another then; takes a plan a choice. */
  isCurrent(layer: ExecutionLayer): boolean {
    const entry = this.entry(layer);
    return entry !== undefined && entry.triedStamp === layer.stamp(layer.choices());
  }

  #stampOf(layer: ExecutionLayer, entry: LayerChoice): string {
    const name = `${layer.key} ${choiceName(entry)}`;
    const known = this.#stamps.get(name);
    if (known !== undefined) return known;
    const [rule = entry] = layer.choices();
    const stamp = layer.stamp(sameChoice(rule, entry) ? [rule] : [rule, entry]);
    this.#stamps.set(name, stamp);
    return stamp;
  }
}
