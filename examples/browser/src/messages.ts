/** What the page says: a status line with a progress bar, and a card for errors that stays until it is closed. */
import { byId, element } from './dom.ts';
import { explainError } from './explain-error.ts';

export class Messages {
  readonly #status = byId('status');
  readonly #bar = byId('progress', HTMLProgressElement);
  readonly #card = byId('error');

  constructor() {
    byId('error-close', HTMLButtonElement).addEventListener('click', () => this.clearError());
    document.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.clearError();
    });
  }

  /** Said by screen readers too; words that are there already are not said again. */
  status(words: string): void {
    if (this.#status.textContent !== words) this.#status.textContent = words;
  }

  /** A part of a whole; a total of 0 is one that is not known, no part at all ends the bar. */
  progress(part?: { readonly done: number; readonly total: number }): void {
    this.#bar.hidden = part === undefined;
    if (part === undefined || part.total === 0) this.#bar.removeAttribute('value');
    else this.#bar.value = part.done / part.total;
  }

  error(error: unknown): void {
    const { title, message, items } = explainError(error);
    byId('error-title').textContent = title;
    byId('error-message').textContent = message;
    byId('error-items').replaceChildren(...items.map((item) => element('li', '', item)));
    this.#card.hidden = false;
    this.#card.scrollIntoView({ block: 'nearest' });
    this.progress();
  }

  clearError(): void {
    this.#card.hidden = true;
  }
}
