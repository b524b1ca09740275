/**
 * Two profiles side by side: the time of the same work in both, their ratio (B over A, below 1 where B is faster) and
 * difference (B minus A). Plain data, as `onegpu compare --json` prints it; what is not known is absent.
 */
import type { ProfileReport, ProfileRow } from '@onegpu/onnx';
import type { SavedProfile } from '../profile-file.ts';
import { alignRows } from './align-rows.ts';

export interface ComparedFigures {
  readonly a?: number;
  readonly b?: number;
  /** b / a */
  readonly ratio?: number;
  /** b - a */
  readonly difference?: number;
}

export interface ComparedSide {
  readonly rows: readonly Pick<ProfileRow, 'index' | 'nodes' | 'label' | 'shape'>[];
  /** The timestamps could not tell these rows' time from zero. */
  readonly belowResolution?: true;
}

export interface ComparedRow {
  /** Absent where the other profile has no such work. */
  readonly matchedBy?: 'nodes' | 'label';
  readonly a: ComparedSide;
  readonly b: ComparedSide;
  /** Milliseconds; the difference of a row without a partner is all of it. */
  readonly ms: ComparedFigures;
}

export interface ProfileFacts {
  readonly file: string;
  readonly model?: string;
  readonly adapter: string;
  readonly mode: ProfileReport['mode'];
  readonly inputs: ProfileReport['inputs'];
  readonly runs: number;
  readonly resolutionMs?: number;
}

export type RowOrder = 'difference' | 'order';

export interface ProfileComparison {
  readonly schema: 'onegpu-comparison/1';
  readonly a: ProfileFacts;
  readonly b: ProfileFacts;
  /** In what the two profiles differ besides their times. */
  readonly warnings: readonly string[];
  readonly rows: readonly ComparedRow[];
  readonly totals: Readonly<
    Record<'gpuMs' | 'spanMs' | 'unprofiledSpanMs' | 'wallMs' | 'arenaBytes', ComparedFigures>
  >;
}

export interface NamedProfile {
  readonly file: string;
  readonly profile: SavedProfile;
}

/** @param order largest difference first, or as the rows run */
export function compareProfiles(a: NamedProfile, b: NamedProfile, order: RowOrder): ProfileComparison {
  const rows = alignRows(a.profile.rows, b.profile.rows).map((aligned): ComparedRow => {
    const ms = rowFigures(aligned.a, aligned.b);
    const by = aligned.by === undefined ? {} : { matchedBy: aligned.by };
    return { ...by, a: sideOf(aligned.a), b: sideOf(aligned.b), ms };
  });
  const size = ({ ms }: ComparedRow): number => Math.abs(ms.difference ?? 0);
  const totalOf = (of: (profile: SavedProfile) => number | undefined): ComparedFigures =>
    figures(of(a.profile), of(b.profile));
  return {
    schema: 'onegpu-comparison/1',
    a: factsOf(a),
    b: factsOf(b),
    warnings: differingFacts(a.profile, b.profile),
    rows: order === 'order' ? rows : [...rows].sort((x, y) => size(y) - size(x)),
    totals: {
      gpuMs: totalOf(({ totals }) => totals.gpuMs),
      spanMs: totalOf(({ totals }) => totals.spanMs),
      unprofiledSpanMs: totalOf(({ totals }) => totals.unprofiledSpanMs),
      wallMs: totalOf(({ totals }) => totals.wallMs),
      arenaBytes: totalOf(({ memory }) => memory.arenaBytes),
    },
  };
}

function rowFigures(a: readonly ProfileRow[], b: readonly ProfileRow[]): ComparedFigures {
  const [msA, msB] = [sumMs(a), sumMs(b)];
  if (b.length === 0) return msA === undefined ? {} : { a: msA, difference: -msA };
  if (a.length === 0) return msB === undefined ? {} : { b: msB, difference: msB };
  return figures(msA, msB);
}

function figures(a: number | undefined, b: number | undefined): ComparedFigures {
  const own = { ...(a === undefined ? {} : { a }), ...(b === undefined ? {} : { b }) };
  if (a === undefined || b === undefined) return own;
  return { ...own, ...(a === 0 ? {} : { ratio: b / a }), difference: b - a };
}

/** Sum of the known times; undefined where none is known. */
function sumMs(rows: readonly ProfileRow[]): number | undefined {
  const known = rows.flatMap((row) => row.medianMs ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, ms) => sum + ms, 0);
}

function sideOf(rows: readonly ProfileRow[]): ComparedSide {
  const unresolved = rows.length > 0 && rows.every((row) => row.belowResolution === true);
  return {
    rows: rows.map(({ index, nodes, label, shape }) => ({ index, nodes, label, shape })),
    ...(unresolved ? { belowResolution: true } : {}),
  };
}

function factsOf({ file, profile }: NamedProfile): ProfileFacts {
  const { model, adapter, mode, inputs, runs, resolutionMs } = profile;
  return {
    file,
    ...(model === undefined ? {} : { model }),
    ...{ adapter, mode, inputs, runs },
    ...(resolutionMs === undefined ? {} : { resolutionMs }),
  };
}

function differingFacts(a: SavedProfile, b: SavedProfile): string[] {
  const warnings: string[] = [];
  const compare = (name: string, of: (profile: SavedProfile) => string): void => {
    if (of(a) !== of(b)) warnings.push(`${name} differ: ${of(a)} in A, ${of(b)} in B`);
  };
  compare('the models', ({ model }) => model ?? 'not named');
  compare('the adapters', ({ adapter }) => adapter);
  compare('the numeric modes', ({ mode }) => mode);
  compare('the inputs', inputsText);
  for (const [name, { totals }] of [['A', a] as const, ['B', b] as const]) {
    if (totals.gpuMs === undefined) warnings.push(`${name} has no times of single layers`);
  }
  return warnings;
}

/** `input 1x3x224x224, mask 1x224`, by name. */
export function inputsText({ inputs }: Pick<ProfileReport, 'inputs'>): string {
  return Object.keys(inputs)
    .sort()
    .map((name) => `${name} ${(inputs[name] ?? []).join('x')}`)
    .join(', ');
}
