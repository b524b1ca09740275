/**
 * Bytes that are live in each arena while each row runs: the sum over the tensors whose lifetime, first to last row
 * inclusive, holds the row. Lifetimes that begin before the first row or end after the last one are cut to the rows.
 */
import type { ProfileReport } from '@onegpu/onnx';

/** `[row][arena]`, in bytes. */
export function liveBytes(report: Pick<ProfileReport, 'rows' | 'memory'>): readonly (readonly number[])[] {
  const { arenas, tensors } = report.memory;
  const live = report.rows.map(() => arenas.map(() => 0));
  for (const { arena, bytes, firstRow, lastRow } of tensors) {
    for (let row = Math.max(0, firstRow); row <= Math.min(live.length - 1, lastRow); row++) {
      const counts = live[row];
      if (counts?.[arena] !== undefined) counts[arena] += bytes;
    }
  }
  return live;
}

/** The tensors that are live while a row runs, largest first. */
export function liveTensors(
  report: Pick<ProfileReport, 'memory'>,
  row: number,
): readonly ProfileReport['memory']['tensors'][number][] {
  return report.memory.tensors
    .filter(({ firstRow, lastRow }) => firstRow <= row && row <= lastRow)
    .sort((a, b) => b.bytes - a.bytes);
}
