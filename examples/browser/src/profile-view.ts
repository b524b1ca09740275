/** The charts of a profile, drawn anew for each. */
import type { ProfileReport } from '@onegpu/onnx';
import { type Chart, createRowLink, layerChart, rooflineChart } from '@onegpu/report/charts';
import { byId } from './dom.ts';
import { type Fact, milliseconds, showFacts } from './facts.ts';

export class ProfileView {
  #charts: readonly Chart[] = [];

  show(report: ProfileReport): void {
    this.clear();
    byId('profile-section').hidden = false;
    showFacts(byId('totals'), totals(report));
    byId('profile-notes').textContent = report.notes.join(' ');
    const link = createRowLink();
    this.#charts = [
      layerChart(byId('layers'), report, { link }),
      rooflineChart(byId('roofline'), report, { link }),
    ];
  }

  clear(): void {
    for (const chart of this.#charts) chart.remove();
    this.#charts = [];
    byId('profile-section').hidden = true;
  }
}

function totals({ rows, totals: sum }: ProfileReport): readonly Fact[] {
  const time = (name: string, ms: number | undefined): Fact[] =>
    ms === undefined ? [] : [[name, milliseconds(ms)]];
  const span = sum.unprofiledSpanMs ?? sum.gpuMs;
  return [
    ['Rows', String(rows.length)],
    ...time('Sum of the rows', sum.gpuMs),
    ...time('GPU, begin to end', sum.unprofiledSpanMs),
    ...time('Wall clock', sum.wallMs),
    ...(span === undefined
      ? []
      : [['Arithmetic', `${(sum.flops / span / 1e6).toFixed(1)} GFLOP/s`] as const]),
  ];
}
