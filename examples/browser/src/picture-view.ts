/** The picture, a heat map over it and text boxes over both; everything in pixels of the picture. */
import type { ProbabilityMap, TextBox } from '@onegpu/vision';
import { byId } from './dom.ts';
import { drawHeatMap } from './heat-map.ts';
import type { ImageSource } from './prepare-image.ts';

const SVG = 'http://www.w3.org/2000/svg';

export class PictureView {
  readonly #picture = byId('picture', HTMLCanvasElement);
  readonly #heat = byId('heat', HTMLCanvasElement);
  readonly #boxes = byId('boxes', SVGSVGElement);
  readonly #stage = byId('stage');

  /** Draws a picture and takes away what lay over another. */
  show(source: ImageSource): void {
    const { image, width, height } = source;
    if (this.#picture.width !== width || this.#picture.height !== height) {
      this.#picture.width = width;
      this.#picture.height = height;
      this.#boxes.setAttribute('viewBox', `0 0 ${width} ${height}`);
      this.#stage.style.setProperty('--aspect', String(width / height));
    }
    this.#picture.getContext('2d')?.drawImage(image, 0, 0);
    this.#stage.hidden = false;
    byId('empty').hidden = true;
  }

  clearResults(): void {
    this.#boxes.replaceChildren();
    this.#heat.hidden = true;
  }

  showBoxes(boxes: readonly TextBox[]): void {
    this.#boxes.replaceChildren(...boxes.flatMap(boxShapes));
  }

  /** @param range the values drawn coldest and hottest, `own` the map's own */
  showHeat(map: ProbabilityMap | undefined, range: 'probability' | 'own'): void {
    this.#heat.hidden = map === undefined;
    if (map !== undefined) drawHeatMap(this.#heat, map, range);
  }
}

/** The outline twice: a light one under it keeps it apart from the picture. */
function boxShapes({ corners, score }: TextBox): readonly SVGElement[] {
  const points = corners.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(' ');
  return ['halo', 'box'].map((name) => {
    const polygon = document.createElementNS(SVG, 'polygon');
    polygon.setAttribute('class', name);
    polygon.setAttribute('points', points);
    const title = document.createElementNS(SVG, 'title');
    title.textContent = `score ${score.toFixed(3)}`;
    polygon.append(title);
    return polygon;
  });
}
