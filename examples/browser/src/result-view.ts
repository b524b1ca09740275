/** The result beside the picture: boxes, classes or a map, the words for it, and times. */
import { showClasses } from './class-bars.ts';
import { byId } from './dom.ts';
import { type Fact, showFacts } from './facts.ts';
import { PictureView } from './picture-view.ts';
import type { ImageSource } from './prepare-image.ts';
import type { Result } from './results.ts';

export class ResultView {
  readonly #picture = new PictureView();
  readonly #heat = byId('show-heat', HTMLInputElement);
  #last: Result | undefined;

  constructor() {
    this.#heat.addEventListener('change', () => this.#drawHeat());
  }

  /** A picture without a result yet. */
  show(source: ImageSource): void {
    this.#picture.show(source);
    this.clear();
  }

  clear(): void {
    this.#last = undefined;
    this.#picture.clearResults();
    this.#heat.disabled = true;
    showClasses(undefined);
    showFacts(byId('facts'), []);
  }

  /** @returns what was found, in words */
  showResult(source: ImageSource, result: Result, facts: readonly Fact[]): string {
    this.#last = result;
    this.#picture.show(source);
    this.#picture.showBoxes(result.kind === 'text' ? result.boxes : []);
    showClasses(result.kind === 'classes' ? result.classes : undefined);
    this.#heat.disabled = result.kind !== 'text';
    byId('picture').setAttribute('aria-label', `The picture. ${wordsFor(result)}`);
    this.#drawHeat();
    showFacts(byId('facts'), facts);
    return wordsFor(result);
  }

  #drawHeat(): void {
    if (this.#last?.kind === 'text') {
      this.#picture.showHeat(this.#heat.checked ? this.#last.map : undefined, 'probability');
    } else {
      this.#picture.showHeat(this.#last?.kind === 'map' ? this.#last.map : undefined, 'own');
    }
  }
}

function wordsFor(result: Result): string {
  if (result.kind === 'text') {
    const { length } = result.boxes;
    return `Found ${length} ${length === 1 ? 'line' : 'lines'} of text.`;
  }
  if (result.kind === 'classes') {
    const [first] = result.classes;
    return `Likeliest of ${result.count} classes: ${first?.name ?? 'none'}.`;
  }
  const { width, height } = result.map;
  return `A map of ${width} × ${height}, channel 1 of ${result.channels}.`;
}
