/** The box beside the pointer: one a document, kept inside the window, hidden by Escape and by scrolling away. */
import { element } from './dom.ts';

const MARGIN = 8;
const DISTANCE = 14;

let box: HTMLElement | undefined;

/** Shows `content` near a point of the window, in CSS pixels. */
export function showTooltip(point: { readonly x: number; readonly y: number }, content: Node): void {
  const shown = tooltipBox();
  shown.replaceChildren(content);
  shown.hidden = false;
  const { width, height } = shown.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const right = point.x + DISTANCE;
  const below = point.y + DISTANCE;
  const left = right + width + MARGIN > clientWidth ? point.x - DISTANCE - width : right;
  const top = below + height + MARGIN > clientHeight ? point.y - DISTANCE - height : below;
  shown.style.left = `${Math.max(MARGIN, Math.min(left, clientWidth - width - MARGIN))}px`;
  shown.style.top = `${Math.max(MARGIN, top)}px`;
}

export function hideTooltip(): void {
  if (box !== undefined) box.hidden = true;
}

function tooltipBox(): HTMLElement {
  if (box?.isConnected) return box;
  const made = element('div', { class: 'onegpu-tooltip' });
  made.setAttribute('role', 'tooltip');
  made.hidden = true;
  document.body.append(made);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hideTooltip();
  });
  document.addEventListener('scroll', hideTooltip, { passive: true, capture: true });
  box = made;
  return made;
}
