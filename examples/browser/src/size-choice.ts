/** The longest side of the network's input: a choice where the model leaves it free, else the model's. */
import { byId } from './dom.ts';

/** Value of the option that stands for the model's own size. */
const FIXED = '0';

export class SizeChoice {
  readonly #select = byId('size', HTMLSelectElement);
  #side: string;

  constructor(onChoose: () => void) {
    this.#side = this.#select.value;
    this.#select.addEventListener('change', () => {
      this.#side = this.#select.value;
      onChoose();
    });
  }

  get longestSide(): number {
    return Number(this.#side);
  }

  set longestSide(side: number) {
    this.#side = String(side);
    if (!this.#select.disabled) this.#select.value = this.#side;
  }

  /** Whether there is something to choose. */
  set free(free: boolean) {
    this.#select.disabled = !free;
    this.#select.value = free ? this.#side : FIXED;
  }
}
