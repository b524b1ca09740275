/** Numbers as profiles and comparisons print them: a dash for what is not known, decimals by size. */
import type { ProfileRow } from '@onegpu/onnx';

export const UNKNOWN = '-';

/** Three decimals: whole microseconds. */
export function milliseconds(value: number | undefined): string {
  return value === undefined ? UNKNOWN : value.toFixed(3);
}

export function percent(fraction: number | undefined): string {
  return fraction === undefined ? UNKNOWN : (fraction * 100).toFixed(1);
}

/** Three digits or so. */
export function rate(value: number | undefined): string {
  if (value === undefined || value <= 0) return UNKNOWN;
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

/** In KiB below 1 MiB. */
export function byteSize(bytes: number): string {
  const inKiB = Math.abs(bytes) < 2 ** 20;
  return `${(bytes / (inKiB ? 2 ** 10 : 2 ** 20)).toFixed(1)} ${inKiB ? 'KiB' : 'MiB'}`;
}

/** What the timestamps could not tell from zero, as `< 0.066`; never less than what three decimals show. */
export function belowResolution(resolutionMs: number | undefined): string {
  if (resolutionMs === undefined) return '< resolution';
  return `< ${(Math.max(1, Math.ceil(resolutionMs * 1000)) / 1000).toFixed(3)}`;
}

/** A row's time in milliseconds. */
export function rowTime(row: ProfileRow, resolutionMs: number | undefined): string {
  return row.belowResolution === true ? belowResolution(resolutionMs) : milliseconds(row.medianMs);
}
