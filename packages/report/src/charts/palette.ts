/**
 * Which operator has which colour: eight that stay apart for colour-blind eyes, given in the order of the time the
 * operators take; what is left over is grey. Colours are custom properties, so the page's light or dark scheme
 * applies to charts that are drawn already.
 */
import type { ProfileReport, ProfileRow } from '@onegpu/onnx';

const HUES = 8;

/** What the rows are coloured by. */
export type ColorBy = 'operator' | 'algorithm';

export interface Palette {
  /** Names that have a colour of their own, most time first, then `other` where more are left. */
  readonly names: readonly string[];
  /** A CSS colour for each of `names`. */
  readonly colors: readonly string[];
  /** Name under which a row is coloured. */
  nameOf(row: ProfileRow): string;
  colorOf(row: ProfileRow): string;
}

export const OTHER = 'other';
const OTHER_COLOR = 'var(--onegpu-hue-other)';

export function rowPalette(report: Pick<ProfileReport, 'rows'>, by: ColorBy = 'operator'): Palette {
  const keyOf = (row: ProfileRow): string => (by === 'operator' ? row.operator : algorithmName(row));
  const times = new Map<string, number>();
  for (const row of report.rows) times.set(keyOf(row), (times.get(keyOf(row)) ?? 0) + (row.medianMs ?? 0));
  const ranked = [...times].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const own = ranked.slice(0, ranked.length > HUES ? HUES - 1 : HUES);
  const colors = new Map(own.map((name, index) => [name, `var(--onegpu-hue-${index + 1})`]));
  const nameOf = (row: ProfileRow): string => (colors.has(keyOf(row)) ? keyOf(row) : OTHER);
  const others = ranked.length > own.length;
  return {
    names: others ? [...own, OTHER] : own,
    colors: others ? [...colors.values(), OTHER_COLOR] : [...colors.values()],
    nameOf,
    colorOf: (row) => colors.get(keyOf(row)) ?? OTHER_COLOR,
  };
}

/** `conv/implicit-gemm`. */
export function algorithmName(row: Pick<ProfileRow, 'operator' | 'algorithm'>): string {
  return `${row.operator}/${row.algorithm}`;
}
