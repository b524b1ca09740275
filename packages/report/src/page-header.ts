/** The page's header: what was measured, the totals, what a reader should know; and the parts of a run on the host. */
import type { ProfileReport } from '@onegpu/onnx';
import { escapeHtml } from './escape-html.ts';
import {
  formatBytes,
  formatCount,
  formatRate,
  formatShape,
  formatTime,
  plural,
  shorten,
  splitTime,
} from './format-values.ts';

/** `name` is escaped already. */
export function headerHtml(report: ProfileReport, name: string): string {
  const { adapter, mode, runs, inputs, notes } = report;
  const shapes = Object.entries(inputs).map(
    ([input, dims]) =>
      `<code title="${escapeHtml(input)}">${escapeHtml(shorten(input, 40))} ${formatShape(dims)}</code>`,
  );
  const facts = [
    escapeHtml(adapter),
    `${escapeHtml(mode)} mode`,
    `medians of ${plural(runs, 'run')}`,
    ...shapes,
  ];
  const remarks = [...notes, ...ceilingNote(report)].map((note) => `<li>${escapeHtml(note)}</li>`).join('');
  return `<header>
<h1>${name}</h1>
<p class="facts">${facts.join('<span class="dot">·</span>')}</p>
<div class="totals">${totals(report).map(totalHtml).join('')}</div>
${remarks === '' ? '' : `<ul class="notes">${remarks}</ul>`}
</header>`;
}

interface Total {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  readonly words: string;
}

function totalHtml({ name, value, unit, words }: Total): string {
  return `<div class="total"><span>${name}</span><b>${value} <small>${unit}</small></b><em>${words}</em></div>`;
}

/** Only what was measured. */
function totals({ totals: sum, rows, memory }: ProfileReport): readonly Total[] {
  const time = (name: string, ms: number | undefined, words: string): Total[] =>
    ms === undefined ? [] : [{ name, ...splitTime(ms), words }];
  const reached = sum.unprofiledSpanMs ?? sum.gpuMs;
  const rate = (amount: number, unit: string): string =>
    reached === undefined || reached === 0 ? '' : `${formatRate(amount / reached / 1e6)} ${unit}`;
  return [
    ...time('Sum of the rows', sum.gpuMs, `${plural(rows.length, 'row')}, medians`),
    ...time('GPU, unprofiled', sum.unprofiledSpanMs, 'first begin to last end'),
    ...time('GPU, profiled', sum.spanMs, 'first begin to last end'),
    ...passTotal(sum.passMs),
    ...time('Wall clock', sum.wallMs, `unprofiled run; profiled ${formatTime(sum.profiledWallMs)}`),
    { name: 'Arithmetic', value: formatCount(sum.flops), unit: 'FLOP', words: rate(sum.flops, 'GFLOP/s') },
    { name: 'Must move', value: formatBytes(sum.bytes), unit: '', words: rate(sum.bytes, 'GB/s') },
    {
      name: 'Arenas',
      value: formatBytes(memory.arenaBytes),
      unit: '',
      words: `weights ${formatBytes(memory.weightBytes)}`,
    },
  ];
}

/** A pass whose cost came out as less than nothing is noise, and no number. */
function passTotal(passMs: number | undefined): readonly Total[] {
  if (passMs === undefined) return [];
  const name = 'Cost of a pass';
  if (passMs <= 0) return [{ name, value: '≈ 0', unit: 'ms', words: 'less than the noise of these runs' }];
  return [{ name, ...splitTime(passMs), words: 'of which a profiled run has more' }];
}

function ceilingNote({ ceilings }: ProfileReport): readonly string[] {
  if (ceilings === undefined) return [];
  const { adapter, driver, measuredAt, copyGbps, f32Gflops, f16Gflops, dispatchUs } = ceilings;
  const half =
    f16Gflops === undefined
      ? ''
      : `, float16 ${formatRate(f16Gflops)} GFLOP/s (no layer is set against it: float16 layers compute in float32)`;
  return [
    `Ceilings of ${adapter}${adapter.includes(driver) ? '' : ` (${driver})`}, measured ${measuredAt.slice(0, 10)}: copy ${formatRate(copyGbps)} GB/s, ` +
      `float32 ${formatRate(f32Gflops)} GFLOP/s${half}, ${dispatchUs.toFixed(1)} µs a dispatch.`,
  ];
}

/** One bar of the parts of a run on the host, to scale, and their times. */
export function hostHtml({ host }: ProfileReport): string {
  const parts = [
    { name: 'upload', ms: host.uploadMs },
    { name: 'submit', ms: host.submitMs },
    { name: 'encode the next run', ms: host.encodeMs },
    { name: 'wait for the GPU', ms: host.waitMs },
    { name: 'download', ms: host.downloadMs },
  ];
  const sum = parts.reduce((total, { ms }) => total + Math.max(0, ms), 0);
  const swatch = (index: number): string => `background:var(--onegpu-hue-${index + 1})`;
  const bars = parts.map(({ name, ms }, index) => {
    const width = sum === 0 ? 0 : (Math.max(0, ms) / sum) * 100;
    return `<div style="width:${width.toFixed(3)}%;${swatch(index)}" title="${name} ${formatTime(ms)}"></div>`;
  });
  const names = parts.map(
    ({ name, ms }, index) => `<li><i style="${swatch(index)}"></i>${name} <b>${formatTime(ms)}</b></li>`,
  );
  return `<section class="card"><div class="head"><h2>A run on the host</h2></div>
<div class="host">${bars.join('')}</div><ul class="onegpu-legend">${names.join('')}</ul></section>`;
}
