/**
 * Places tensors one after the other, in a given order, each into the arena and the gap where it makes the arenas
 * grow least. Tensors alive at the same time never overlap; tensors in conflict lie in different arenas. An arena
 * is added only where every one there is holds a tensor in conflict or would outgrow the limit.
 */
import type { Lifetime } from './lifetimes.ts';

export interface Slot {
  readonly arena: number;
  readonly offset: number;
}

export interface Packing {
  /** One entry a lifetime, by its index. */
  readonly slots: readonly Slot[];
  readonly arenaBytes: readonly number[];
  readonly total: number;
}

/** How to choose between gaps that make the arenas grow equally. */
export type GapRule = 'lowest-offset' | 'tightest-gap';

interface Placed {
  readonly lifetime: Lifetime;
  readonly offset: number;
}

interface Candidate extends Slot {
  readonly growth: number;
  /** Smaller is better, among equal growth. */
  readonly rank: number;
}

export interface PackOptions {
  /** Arenas to begin with. */
  readonly count: number;
  /** Most bytes of one arena. */
  readonly limit: number;
  readonly rule: GapRule;
  /** Give up once the arenas have as many bytes together. */
  readonly below: number;
}

/** Undefined when the arenas reach `below` bytes. */
export function packArenas(
  order: readonly Lifetime[],
  { count, limit, rule, below }: PackOptions,
): Packing | undefined {
  const arenas: Placed[][] = Array.from({ length: count }, () => []);
  const arenaBytes = new Array<number>(count).fill(0);
  const slots = new Array<Slot | undefined>(order.length);
  let total = 0;
  for (const lifetime of order) {
    const forbidden = new Set(lifetime.conflicts.map((index) => slots[index]?.arena));
    let best: Candidate | undefined;
    arenas.forEach((placed, arena) => {
      if (forbidden.has(arena)) return;
      const candidate = bestGap(placed, lifetime, { arena, arenaBytes: arenaBytes[arena] ?? 0, rule });
      if (candidate.offset + lifetime.bytes > limit) return;
      if (best === undefined || isBetter(candidate, best)) best = candidate;
    });
    const { arena, offset } = best ?? { arena: arenas.push([]) - 1, offset: 0 };
    slots[lifetime.index] = { arena, offset };
    const grown = Math.max(arenaBytes[arena] ?? 0, offset + lifetime.bytes);
    total += grown - (arenaBytes[arena] ?? 0);
    if (total >= below) return undefined;
    arenaBytes[arena] = grown;
    insertByOffset(arenas[arena] ?? [], { lifetime, offset });
  }
  return { slots: slots.map((slot) => slot ?? { arena: 0, offset: 0 }), arenaBytes, total };
}

function isBetter(a: Candidate, b: Candidate): boolean {
  return a.growth < b.growth || (a.growth === b.growth && a.rank < b.rank);
}

/** Walks the tensors of one arena that are alive at the same time, by offset, and takes the best gap between them. */
function bestGap(
  placed: readonly Placed[],
  lifetime: Lifetime,
  arena: { readonly arena: number; readonly arenaBytes: number; readonly rule: GapRule },
): Candidate {
  const { first, last, bytes } = lifetime;
  let end = 0;
  let offset = -1;
  let tightest = Number.POSITIVE_INFINITY;
  for (const other of placed) {
    if (other.lifetime.last < first || other.lifetime.first > last) continue;
    const gap = other.offset - end;
    if (gap >= bytes && gap < tightest) {
      offset = end;
      tightest = gap;
      if (arena.rule === 'lowest-offset') break;
    }
    end = Math.max(end, other.offset + other.lifetime.bytes);
  }
  const behind = arena.arenaBytes - end;
  if (offset < 0 || (arena.rule === 'tightest-gap' && behind >= bytes && behind < tightest)) {
    offset = end;
    tightest = Math.max(behind, bytes);
  }
  const growth = Math.max(0, offset + bytes - arena.arenaBytes);
  return { arena: arena.arena, offset, growth, rank: arena.rule === 'lowest-offset' ? offset : tightest };
}

function insertByOffset(placed: Placed[], entry: Placed): void {
  const at = placed.findIndex((other) => other.offset > entry.offset);
  placed.splice(at < 0 ? placed.length : at, 0, entry);
}
