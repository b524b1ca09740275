/** The likeliest classes as bars, longest first; labels are indices, as models carry no names. */
import { byId, element } from './dom.ts';
import type { ClassScore } from './results.ts';

export function showClasses(classes: readonly ClassScore[] | undefined): void {
  const list = byId('classes');
  list.hidden = classes === undefined;
  list.replaceChildren(...(classes ?? []).map(classBar));
}

function classBar({ index, probability }: ClassScore): HTMLElement {
  const fill = element('i');
  fill.style.width = `${(probability * 100).toFixed(2)}%`;
  const value = `${(probability * 100).toFixed(1)} %`;
  return element(
    'li',
    '',
    element('span', '', `class ${index}`),
    element('span', 'bar', fill),
    element('span', 'value', value),
  );
}
