/**
 * Sets each row against what the adapter was measured to do, as in a roofline: the larger of the two fractions, of
 * the arithmetic rate and of the copy bandwidth, is what the row reaches (Williams, Waterman, Patterson, "Roofline",
 * 2009, https://doi.org/10.1145/1498765.1498785). Kernels over float16 multiply and add in float32, so that rate is theirs
 * too. A row about as short as an empty dispatch is bound by neither.
 */
import type { Ceilings, ProfileReport, ProfileRow, RowCeiling } from './profile-report.ts';

/** Rows under this many empty dispatches are bound by the dispatch. */
const DISPATCHES_OF_A_SHORT_ROW = 2;

/** The report with the ceilings and each timed row's place under them; the given report stays as it is. */
export function attachCeilings(report: ProfileReport, ceilings: Ceilings): ProfileReport {
  const rows = report.rows.map((row) => {
    const ceiling = rowCeiling(row, ceilings);
    return ceiling === undefined ? row : { ...row, ceiling };
  });
  return { ...report, rows, ceilings };
}

/** The place of one timed row under the ceilings; undefined for a row without a time. */
export function rowCeiling(
  row: Pick<ProfileRow, 'medianMs' | 'gflops' | 'gbps'>,
  ceilings: Ceilings,
): RowCeiling | undefined {
  if (row.medianMs === undefined) return undefined;
  const arithmetic = (row.gflops ?? 0) / ceilings.f32Gflops;
  const memory = (row.gbps ?? 0) / ceilings.copyGbps;
  const fraction = Math.max(arithmetic, memory);
  if (!Number.isFinite(fraction)) return undefined;
  const short = row.medianMs * 1000 < DISPATCHES_OF_A_SHORT_ROW * ceilings.dispatchUs;
  return { fraction, bound: short ? 'dispatch' : arithmetic > memory ? 'arithmetic' : 'memory' };
}
