/** A list to choose from, with what is bundled and the files that were opened. */
import { byId, element } from './dom.ts';

export class Choices<Choice extends { readonly title: string }> {
  readonly #select: HTMLSelectElement;
  readonly #choices: Choice[] = [];

  constructor(id: string, onChoose: (choice: Choice) => void) {
    this.#select = byId(id, HTMLSelectElement);
    this.#select.addEventListener('change', () => {
      const choice = this.selected;
      if (choice !== undefined) onChoose(choice);
    });
    this.#select.replaceChildren(element('option', '', 'none yet'));
    this.#update();
  }

  get selected(): Choice | undefined {
    return this.#choices[this.#select.selectedIndex];
  }

  add(...choices: readonly Choice[]): void {
    if (choices.length === 0) return;
    if (this.#choices.length === 0) this.#select.replaceChildren();
    this.#choices.push(...choices);
    this.#select.append(...choices.map(({ title }) => element('option', '', title)));
    this.#update();
  }

  /** Shows a choice as the one that is taken, adding it where it is new. */
  select(choice: Choice): void {
    if (!this.#choices.includes(choice)) this.add(choice);
    this.#select.selectedIndex = this.#choices.indexOf(choice);
  }

  #update(): void {
    this.#select.disabled = this.#choices.length === 0;
  }
}
