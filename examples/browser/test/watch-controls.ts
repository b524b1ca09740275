/** Notes where the controls are and what the progress bar shows, from the page's first frame on. */

export interface Watched {
  /** Values of the bar, from one time it was shown to the next. */
  readonly bars: number[][];
  /** Every arrangement of the controls: the upper edges of those that can be used or read. */
  readonly tops: string[];
}

declare global {
  var watched: Watched;
}

/** Runs in the page, so it uses nothing from outside. */
export function watchControls(): void {
  const watched: Watched = { bars: [], tops: [] };
  globalThis.watched = watched;
  addEventListener('DOMContentLoaded', () => {
    const bar = document.querySelector('progress');
    const controls = [...document.querySelectorAll('.controls :is(select, button, label, #status)')];
    if (bar === null) return;
    let shown = false;
    const note = (): void => {
      if (!bar.hidden && !shown) watched.bars.push([]);
      shown = !bar.hidden;
      const value = bar.getAttribute('value');
      if (shown && value !== null) watched.bars.at(-1)?.push(Number(value));
      const tops = controls.map((control) => control.getBoundingClientRect().top + scrollY).join();
      if (!watched.tops.includes(tops)) watched.tops.push(tops);
    };
    // After the error card, which stands above the controls, nothing is compared: this test shows none.
    new MutationObserver(note).observe(document.body, { attributes: true, childList: true, subtree: true });
  });
}
