/** The charts of a profile, drawn anew for each. */
import type { ProfileReport } from '@onegpu/onnx';
import { type Chart, createRowLink, layerChart, operatorChart, rooflineChart } from '@onegpu/report/charts';
import { byId } from './dom.ts';
import { type Fact, milliseconds, showFacts } from './facts.ts';

export class ProfileView {
  #charts: readonly Chart[] = [];

  show(report: ProfileReport): void {
    const section = byId('profile-section');
    // While charts are taken away the section keeps its height, so that the page does not scroll.
    section.style.minHeight = `${section.offsetHeight}px`;
    this.#removeCharts();
    section.hidden = false;
    showFacts(byId('totals'), totals(report));
    byId('profile-notes').textContent = report.notes.join(' ');
    const link = createRowLink();
    this.#charts = [
      layerChart(byId('layers'), report, { link }),
      rooflineChart(byId('roofline'), report, { link }),
      operatorChart(byId('operators'), report, { link }),
    ];
    section.style.minHeight = '';
  }

  clear(): void {
    this.#removeCharts();
    byId('profile-section').hidden = true;
  }

  #removeCharts(): void {
    for (const chart of this.#charts) chart.remove();
    this.#charts = [];
  }
}

function totals({ rows, totals: sum }: ProfileReport): readonly Fact[] {
  const time = (name: string, ms: number | undefined): Fact[] =>
    ms === undefined ? [] : [[name, milliseconds(ms)]];
  const span = sum.unprofiledSpanMs ?? sum.gpuMs;
  return [
    ['Rows', String(rows.length)],
    ...time('Rows, timed one by one', sum.gpuMs),
    ...time('GPU, all in one', sum.unprofiledSpanMs),
    ...time('Wall clock', sum.wallMs),
    ...(span === undefined
      ? []
      : [['Arithmetic', `${(sum.flops / span / 1e6).toFixed(1)} GFLOP/s`] as const]),
  ];
}
