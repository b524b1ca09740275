/** The likeliest classes as bars, longest first; indices where a model has no names for them. */
import { byId, element } from './dom.ts';
import type { ClassScore } from './results.ts';

export function showClasses(classes: readonly ClassScore[] | undefined): void {
  const list = byId('classes');
  list.hidden = classes === undefined;
  list.replaceChildren(...(classes ?? []).map(classBar));
}

function classBar({ name, probability }: ClassScore): HTMLElement {
  const fill = element('i');
  fill.style.width = `${(probability * 100).toFixed(2)}%`;
  const value = `${(probability * 100).toFixed(1)} %`;
  return element(
    'li',
    '',
    element('span', '', name),
    element('span', 'bar', fill),
    element('span', 'value', value),
  );
}
