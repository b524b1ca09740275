/** Name and value side by side, and numbers as the page writes them. */
import { element } from './dom.ts';

export type Fact = readonly [name: string, value: string];

export function showFacts(list: HTMLElement, facts: readonly Fact[]): void {
  list.replaceChildren(
    ...facts.map(([name, value]) => element('div', '', element('dt', '', name), element('dd', '', value))),
  );
}

/** `0.84 ms`, `241 ms`, `2.41 s`. */
export function milliseconds(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return `${ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0)} ms`;
}
