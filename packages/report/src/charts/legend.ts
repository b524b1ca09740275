/** Names beside their colours, above a chart. */
import { element } from './dom.ts';

export function legend(names: readonly string[], colors: readonly string[]): HTMLElement {
  const items = names.map((name, index) => {
    const swatch = element('i');
    swatch.style.background = colors[index] ?? 'transparent';
    return element('li', {}, swatch, name);
  });
  return element('ul', { class: 'onegpu-legend' }, ...items);
}
