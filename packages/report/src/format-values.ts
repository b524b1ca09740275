/**
 * Numbers and names as the report writes them: three significant digits or so, binary byte units, a dash for what
 * is not known. Used by the page, its table and every chart, so that one number reads the same everywhere.
 */
import type { ProfileRow } from '@onegpu/onnx';

/** Stands for a value that was not measured. */
export const UNKNOWN = '–';

/** What a row shows whose time the timestamps could not tell from zero. */
export const BELOW_RESOLUTION = '< resolution';

/** Milliseconds without the unit. */
export function formatMs(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return UNKNOWN;
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 0.1) return value.toFixed(4);
  return value.toFixed(size < 10 ? 3 : size < 100 ? 2 : 1);
}

const LONG_MS = 10_000;

/** A time with its unit: milliseconds, seconds from ten of them on, so that no total has five digits. */
export function splitTime(ms: number | undefined): { readonly value: string; readonly unit: string } {
  if (ms === undefined || !Number.isFinite(ms)) return { value: UNKNOWN, unit: '' };
  return Math.abs(ms) < LONG_MS
    ? { value: formatMs(ms), unit: 'ms' }
    : { value: (ms / 1000).toFixed(2), unit: 's' };
}

/** `12.35 ms`, `21.40 s`. */
export function formatTime(ms: number | undefined): string {
  const { value, unit } = splitTime(ms);
  return `${value} ${unit}`.trimEnd();
}

/** A row's median in milliseconds, `< resolution`, or a dash without timestamps. */
export function formatRowTime(row: Pick<ProfileRow, 'medianMs' | 'belowResolution'>): string {
  return row.belowResolution === true ? BELOW_RESOLUTION : formatMs(row.medianMs);
}

/** GFLOP/s or GB/s without the unit. */
export function formatRate(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value) || value <= 0) return UNKNOWN;
  if (value >= 1000) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 4);
}

/** 0 to 1 as a percentage with its sign. */
export function formatPercent(part: number | undefined): string {
  if (part === undefined || !Number.isFinite(part)) return UNKNOWN;
  const percent = part * 100;
  if (percent > 0 && percent < 0.05) return '< 0.1 %';
  return `${percent.toFixed(percent >= 99.95 ? 0 : 1)} %`;
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1024 ** power;
  const digits = power === 0 || amount >= 100 ? 0 : amount >= 10 ? 1 : 2;
  return `${amount.toFixed(digits)} ${BYTE_UNITS[power]}`;
}

const COUNT_UNITS = ['', ' k', ' M', ' G', ' T', ' P'];

/** Operations or multiply-adds: `8.18 G`. */
export function formatCount(count: number): string {
  const power = count < 1 ? 0 : Math.min(COUNT_UNITS.length - 1, Math.floor(Math.log10(count) / 3));
  const amount = count / 1000 ** power;
  const digits = power === 0 || amount >= 100 ? 0 : amount >= 10 ? 1 : 2;
  return `${amount.toFixed(digits)}${COUNT_UNITS[power]}`;
}

/** `1×64×56×56`; a scalar is `scalar`. */
export function formatShape(dims: readonly number[]): string {
  return dims.length === 0 ? 'scalar' : dims.join('×');
}

/** At most `length` characters; what is taken out of the middle leaves an ellipsis. Never splits a code point. */
export function shorten(text: string, length: number): string {
  const letters = [...text];
  if (letters.length <= length) return text;
  const tail = Math.ceil((length - 1) * 0.6);
  return `${letters.slice(0, length - 1 - tail).join('')}…${letters.slice(letters.length - tail).join('')}`;
}

/** The first node of a row and how many more it stands for. */
export function formatNodes(nodes: readonly string[], length: number): string {
  const [first] = nodes;
  if (first === undefined) return UNKNOWN;
  const more = nodes.length > 1 ? ` +${nodes.length - 1}` : '';
  return `${shorten(first === '' ? '(no name)' : first, length)}${more}`;
}

/** How many items, in words: `1 row`, `3 rows`. */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
