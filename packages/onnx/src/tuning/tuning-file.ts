/**
 * The document a tuning table is kept in, one an adapter: `onegpu-tuning/1`, JSON. Its name and its first field hold what
 * the adapter and its driver say of themselves, so that a document copied from another machine is told from one's own.
 * docs/tuning.md shows one.
 */
import { describeAdapter, type GpuCapabilities } from '@onegpu/core';
import { hashOf } from './text-hash.ts';
import { type TunedEntry, TuningTable } from './tuning-table.ts';

export const TUNING_SCHEMA = 'onegpu-tuning/1' as const;

interface TuningDocument {
  readonly schema: typeof TUNING_SCHEMA;
  readonly adapter: string;
  /** Whatever may change which kernel is the quickest, beside the kernels. */
  readonly device: readonly string[];
  readonly layers: Readonly<Record<string, TunedEntry>>;
}

export interface ParsedTuning {
  readonly table: TuningTable;
  /** What was passed over, and why; absent where all of it was taken. */
  readonly ignored?: string;
}

/** Name of the document in the user's cache. */
export function tuningFileName(target: GpuCapabilities): string {
  return `tuning-${hashOf(deviceFacts(target))}.json`;
}

export function tuningDocument(table: TuningTable, target: GpuCapabilities): TuningDocument {
  const layers = Object.fromEntries([...table.entries].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { schema: TUNING_SCHEMA, adapter: describeAdapter(target), device: deviceFacts(target), layers };
}

/** Takes what can be taken; never throws. */
export function parseTuning(text: string, target: GpuCapabilities): ParsedTuning {
  const document = parseObject(text);
  if (document === undefined) return nothing('it is no JSON object');
  const { schema, device, layers } = document;
  if (schema !== TUNING_SCHEMA) return nothing(`its schema is ${shown(schema)}, expected "${TUNING_SCHEMA}"`);
  if (JSON.stringify(device) !== JSON.stringify(deviceFacts(target))) {
    return nothing(`it was measured on another adapter or driver (${shown(document.adapter)})`);
  }
  if (!isObject(layers)) return nothing('it has no layers');
  const entries = Object.entries(layers);
  const sound = entries.filter((entry): entry is [string, TunedEntry] => isEntry(entry[1]));
  const table = new TuningTable(sound);
  const broken = entries.length - sound.length;
  return broken === 0
    ? { table }
    : { table, ignored: `${broken} of its ${entries.length} layers are malformed` };
}

function nothing(ignored: string): ParsedTuning {
  return { table: new TuningTable(), ignored };
}

function deviceFacts(target: GpuCapabilities): readonly string[] {
  const { vendor, architecture, description, software, float16, subgroupSize, limits } = target;
  return [
    ...[vendor, architecture, description, software ? 'software' : 'hardware'],
    `float16 ${float16}`,
    `subgroups ${subgroupSize === undefined ? 'none' : `${subgroupSize.min} to ${subgroupSize.max}`}`,
    `workgroup ${limits.maxComputeInvocationsPerWorkgroup} invocations, ${limits.maxComputeWorkgroupStorageSize} bytes`,
  ];
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEntry(value: unknown): value is TunedEntry {
  if (!isObject(value)) return false;
  const { algorithm, configuration = '', stamp, triedStamp, us, ruleUs } = value;
  const isTime = (time: unknown): boolean => typeof time === 'number' && time >= 0 && time < 1e12;
  return (
    [algorithm, configuration, stamp, triedStamp].every((text) => typeof text === 'string') &&
    isTime(us) &&
    isTime(ruleUs)
  );
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 120) ?? 'absent';
}
