/**
 * Tuning tables in the user's cache. A document that is broken or another adapter's is passed over, with a warning that
 * names it; one that was written by another process meanwhile keeps its layers.
 */
import { cachedPlace, type GpuCapabilities, readCachedText, writeCached } from '@onegpu/core';
import { parseTuning, tuningDocument, tuningFileName } from './tuning-file.ts';
import { TuningTable } from './tuning-table.ts';

export interface LoadedTuning {
  readonly table: TuningTable;
  /** Text of a warning, naming the document. */
  readonly warning?: string;
}

/** Where the table of this adapter is kept, for people; undefined where there is no cache. */
export function tuningPlace(target: GpuCapabilities): string | undefined {
  return cachedPlace(tuningFileName(target));
}

export async function loadTuning(target: GpuCapabilities): Promise<LoadedTuning> {
  const text = await readCachedText(tuningFileName(target));
  if (text === undefined) return { table: new TuningTable() };
  const { table, ignored } = parseTuning(text, target);
  if (ignored === undefined) return { table };
  return { table, warning: `${tuningPlace(target)} is passed over: ${ignored}` };
}

/**
 * Writes what was measured into the document as it is by now.
 * @param measured keys of the layers that replace those of the document
 * @returns text of a warning where it could not be written
 */
export async function saveTuning(
  target: GpuCapabilities,
  table: TuningTable,
  measured: ReadonlySet<string>,
): Promise<string | undefined> {
  const { table: kept } = await loadTuning(target);
  const own = [...table.entries].filter(([key]) => measured.has(key));
  const merged = new TuningTable([...table.entries, ...kept.entries, ...own]);
  if (await writeCached(tuningFileName(target), tuningDocument(merged, target))) return undefined;
  return `${tuningPlace(target) ?? 'tuning'} could not be written: the choices are lost with this process`;
}
