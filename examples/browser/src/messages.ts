/** What the page says: a status line with a progress bar, and a card for errors that stays until it is closed. */
import { byId, element } from './dom.ts';
import { explainError } from './explain-error.ts';
import { type ProgressStep, StagedProgress } from './staged-progress.ts';
import { RUN_STEPS, type Stage } from './steps.ts';

export class Messages {
  readonly #status = byId('status');
  readonly #bar = byId('progress', HTMLProgressElement);
  readonly #card = byId('error');
  #progress: StagedProgress | undefined;

  constructor() {
    byId('error-close', HTMLButtonElement).addEventListener('click', () => this.clearError());
    document.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.clearError();
    });
  }

  get words(): string {
    return this.#status.textContent ?? '';
  }

  /** Said by screen readers too; words that are there already are not said again. */
  status(words: string): void {
    if (this.words !== words) this.#status.textContent = words;
  }

  /** Work of these steps begins, unless it is part of other work that did not end yet. */
  begin(steps: readonly ProgressStep[], words?: string): void {
    if (words !== undefined) this.status(words);
    if (this.#progress !== undefined) return;
    this.#progress = new StagedProgress(steps);
    this.#bar.removeAttribute('value');
    this.#bar.hidden = false;
  }

  /** A part of a step was done; a total of 0 is one that is not known. */
  tell(stage: Stage, done: number, total: number): void {
    this.begin(RUN_STEPS);
    const { words, part } = this.#progress?.tell(stage, done, total) ?? {};
    if (words !== undefined) this.status(words);
    if (part !== undefined) this.#bar.value = part;
  }

  /** The work has ended, with these words for it. */
  done(words: string): void {
    this.status(words);
    this.#endBar();
  }

  error(error: unknown): void {
    const { title, message, items } = explainError(error);
    byId('error-title').textContent = title;
    byId('error-message').textContent = message;
    byId('error-items').replaceChildren(...items.map((item) => element('li', '', item)));
    this.#card.hidden = false;
    this.#card.scrollIntoView({ block: 'nearest' });
    this.#endBar();
  }

  get hasError(): boolean {
    return !this.#card.hidden;
  }

  clearError(): void {
    this.#card.hidden = true;
  }

  #endBar(): void {
    this.#progress = undefined;
    this.#bar.hidden = true;
  }
}
