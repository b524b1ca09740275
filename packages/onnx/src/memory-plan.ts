/**
 * Gives every tensor of a run a place in one of a few big buffers (arenas). WebGPU forbids binding one buffer
 * for reading and for writing in the same dispatch, so what a dispatch writes lies in another arena than what it
 * reads; three arenas reach about the least memory possible for vision networks.
 *
 * Finding the best places is dynamic storage allocation, NP-hard (Garey and Johnson, problem SR2). Here: a greedy
 * placement in several orders, then the best order is improved by moving single tensors to the front; the number of
 * tries is fixed, so the same request always gives the same plan.
 */
import { analyseLifetimes, type Lifetime, type LifetimeAnalysis } from './memory/lifetimes.ts';
import { type GapRule, type Packing, packArenas, type Slot } from './memory/pack-arenas.ts';

export interface PlannedTensor {
  readonly id: string;
  readonly bytes: number;
  /** `input`: filled before the first dispatch; `output`: read after the last one; `always`: both. */
  readonly pinned?: 'input' | 'output' | 'always';
}

/** What one dispatch binds. Aliases are resolved: one id a piece of memory. */
export interface DispatchAccess {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** One node of the graph: its dispatches in order. Scratch is a tensor that only this step touches. */
export interface MemoryStep {
  readonly passes: readonly DispatchAccess[];
}

export interface MemoryRequest {
  readonly tensors: readonly PlannedTensor[];
  readonly steps: readonly MemoryStep[];
  /** Offsets are multiples of it, bytes: `minStorageBufferOffsetAlignment`. */
  readonly alignment: number;
  /** Arenas to begin with; more are added only where conflicts or `arenaLimit` leave no choice. Default 3. */
  readonly arenaCount?: number;
  /** Most bytes of one arena: `maxBufferSize`. A single tensor larger than that gets an arena of its own size. */
  readonly arenaLimit?: number;
}

export interface MemoryPlan {
  /** Place of every tensor; offsets in bytes. */
  readonly placements: ReadonlyMap<string, Slot>;
  /** Bytes of each arena; none is empty. */
  readonly arenaBytes: readonly number[];
  /** Sum of the arenas, bytes. */
  readonly peakBytes: number;
  /** Largest number of bytes alive during one dispatch: its inputs, outputs and all that is still to be read. */
  readonly lowerBoundBytes: number;
  /** Peak over lower bound; 1 where nothing is alive. */
  readonly ratio: number;
  /** Largest number of bytes alive during each step. */
  readonly stepBytes: readonly number[];
}

/** A plan this close to the lower bound is not improved further. */
const GOOD_RATIO = 1.02;
/** Placements tried in all, for small plans; large ones get fewer, so that planning stays in milliseconds. */
const MOST_TRIES = 160;
const TRIES_TIMES_TENSORS = 20_000;

/** @throws GpuKernelShapeError when the steps name undeclared tensors or one dispatch reads and writes the same. */
export function planMemory(request: MemoryRequest): MemoryPlan {
  const analysis = analyseLifetimes(request);
  const lowerBoundBytes = Math.max(0, ...analysis.dispatchBytes);
  const packing = dropEmptyArenas(search(analysis, request, lowerBoundBytes));
  const placements = new Map<string, Slot>();
  for (const { tensor, index } of analysis.lifetimes) {
    const slot = packing.slots[index];
    if (slot !== undefined) placements.set(tensor.id, slot);
  }
  return {
    placements,
    arenaBytes: packing.arenaBytes,
    peakBytes: packing.total,
    lowerBoundBytes,
    ratio: lowerBoundBytes === 0 ? 1 : packing.total / lowerBoundBytes,
    stepBytes: bytesOfSteps(analysis),
  };
}

function search(analysis: LifetimeAnalysis, request: MemoryRequest, lowerBound: number): Packing {
  const { lifetimes } = analysis;
  const { arenaCount = 3, arenaLimit = Number.POSITIVE_INFINITY } = request;
  const tries = Math.min(MOST_TRIES, Math.ceil(TRIES_TIMES_TENSORS / Math.max(1, lifetimes.length)));
  let made = 0;
  let best:
    | { readonly order: readonly Lifetime[]; readonly rule: GapRule; readonly packing: Packing }
    | undefined;
  const isGood = (): boolean => best !== undefined && best.packing.total <= GOOD_RATIO * lowerBound;
  const attempt = (order: readonly Lifetime[], rule: GapRule, count: number): void => {
    if (isGood()) return;
    made++;
    const below = best?.packing.total ?? Number.POSITIVE_INFINITY;
    const packing = packArenas(order, { count, limit: arenaLimit, rule, below });
    if (packing !== undefined) best = { order, rule, packing };
  };
  for (const order of startingOrders(analysis)) {
    for (const rule of ['lowest-offset', 'tightest-gap'] as const) {
      for (const count of [arenaCount, arenaCount + 1]) attempt(order, rule, count);
    }
  }
  const random = randomStream(lifetimes.length + 1);
  while (best !== undefined && !isGood() && made < tries) {
    const { order, rule, packing } = best;
    attempt(perturbed(order, random), rule, packing.arenaBytes.length);
  }
  return best?.packing ?? { slots: [], arenaBytes: [], total: 0 };
}

function startingOrders({ lifetimes, dispatchBytes }: LifetimeAnalysis): (readonly Lifetime[])[] {
  const busiest = dispatchBytes.indexOf(Math.max(...dispatchBytes));
  const span = (lifetime: Lifetime): number => lifetime.last - lifetime.first + 1;
  const awayFromBusiest = ({ first, last }: Lifetime): number =>
    first > busiest ? first - busiest : Math.max(0, busiest - last);
  const peakWhileAlive = ({ first, last }: Lifetime): number =>
    Math.max(0, ...dispatchBytes.slice(first, last + 1));
  const by = (...keys: readonly ((lifetime: Lifetime) => number)[]): Lifetime[] => {
    const keyed = lifetimes.map((lifetime) => ({ lifetime, keys: keys.map((key) => key(lifetime)) }));
    return keyed.sort(largestFirst).map((entry) => entry.lifetime);
  };
  return [
    by((l) => l.bytes, span),
    by(
      (l) => -l.first,
      (l) => l.bytes,
    ),
    by(
      (l) => l.last,
      (l) => l.bytes,
    ),
    by((l) => l.bytes * span(l)),
    by(
      (l) => -awayFromBusiest(l),
      (l) => l.bytes,
    ),
    by(peakWhileAlive, (l) => l.bytes),
    by(peakWhileAlive, (l) => -l.first),
  ];
}

function largestFirst(a: Keyed, b: Keyed): number {
  for (const [i, key] of a.keys.entries()) {
    const difference = (b.keys[i] ?? 0) - key;
    if (difference !== 0) return difference;
  }
  return a.lifetime.index - b.lifetime.index;
}

interface Keyed {
  readonly lifetime: Lifetime;
  readonly keys: readonly number[];
}

/** One to three tensors moved towards the front. */
function perturbed(order: readonly Lifetime[], random: () => number): Lifetime[] {
  const result = [...order];
  for (let moves = 1 + Math.floor(random() * 3); moves > 0; moves--) {
    const from = Math.floor(random() * result.length);
    const to = Math.floor(random() * (from + 1));
    const moved = result.splice(from, 1);
    result.splice(to, 0, ...moved);
  }
  return result;
}

/** Numbers in 0..1 that depend on the seed alone (a linear congruential generator, multiplier of Numerical Recipes). */
function randomStream(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function dropEmptyArenas(packing: Packing): Packing {
  const kept = packing.arenaBytes.flatMap((bytes, arena) => (bytes > 0 ? [arena] : []));
  const renumber = new Map(kept.map((arena, position) => [arena, position]));
  return {
    slots: packing.slots.map(({ arena, offset }) => ({ arena: renumber.get(arena) ?? 0, offset })),
    arenaBytes: kept.map((arena) => packing.arenaBytes[arena] ?? 0),
    total: packing.total,
  };
}

function bytesOfSteps({ dispatchBytes, stepStarts }: LifetimeAnalysis): number[] {
  return stepStarts
    .slice(1)
    .map((end, step) => Math.max(0, ...dispatchBytes.slice(stepStarts[step] ?? 0, end)));
}
