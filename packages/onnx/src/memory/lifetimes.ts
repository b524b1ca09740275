/**
 * When each tensor of a plan is alive, which tensors may not share an arena, and the least memory any plan needs.
 * Time is counted in dispatches: dispatch i of the plan, over all steps in order.
 */
import { GpuKernelShapeError } from '@onegpu/core';
import type { MemoryRequest, PlannedTensor } from '../memory-plan.ts';

/** A tensor with its first and last dispatch, both included. */
export interface Lifetime {
  readonly tensor: PlannedTensor;
  /** Position in the list of lifetimes. */
  readonly index: number;
  /** Bytes to reserve: rounded up to the alignment, at least one unit of it. */
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
  /** Positions of the tensors that some dispatch reads while it writes this one, or the other way round. */
  readonly conflicts: readonly number[];
}

export interface LifetimeAnalysis {
  readonly lifetimes: readonly Lifetime[];
  /** Bytes (unrounded) alive during each dispatch. */
  readonly dispatchBytes: readonly number[];
  /** Dispatches before each step, and the total at the end. */
  readonly stepStarts: readonly number[];
}

/** @throws GpuKernelShapeError for a tensor that is not declared, declared twice, or both read and written at once. */
export function analyseLifetimes(request: MemoryRequest): LifetimeAnalysis {
  const builders = declareTensors(request);
  const stepStarts = [0];
  let dispatch = 0;
  for (const step of request.steps) {
    for (const pass of step.passes) {
      visitDispatch(builders, pass, dispatch);
      dispatch++;
    }
    stepStarts.push(dispatch);
  }
  const lastDispatch = Math.max(0, dispatch - 1);
  const lifetimes = [...builders.values()].map((builder): Lifetime => {
    const { tensor, index, bytes, conflicts } = builder;
    const unused = builder.first > builder.last;
    const first = tensor.pinned === 'input' || tensor.pinned === 'always' || unused ? 0 : builder.first;
    const last =
      tensor.pinned === 'output' || tensor.pinned === 'always' ? lastDispatch : Math.max(builder.last, 0);
    return { tensor, index, bytes, first, last, conflicts: [...conflicts] };
  });
  return { lifetimes, dispatchBytes: liveBytes(lifetimes, dispatch), stepStarts };
}

interface LifetimeBuilder {
  readonly tensor: PlannedTensor;
  readonly index: number;
  readonly bytes: number;
  readonly conflicts: Set<number>;
  first: number;
  last: number;
}

function declareTensors({ tensors, alignment }: MemoryRequest): Map<string, LifetimeBuilder> {
  const builders = new Map<string, LifetimeBuilder>();
  for (const tensor of tensors) {
    if (builders.has(tensor.id)) throw wrongPlan(tensor.id, 'declared twice');
    const bytes = Math.max(1, Math.ceil(tensor.bytes / alignment)) * alignment;
    const index = builders.size;
    const never = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
    builders.set(tensor.id, { tensor, index, bytes, conflicts: new Set(), ...never });
  }
  return builders;
}

function visitDispatch(
  builders: ReadonlyMap<string, LifetimeBuilder>,
  pass: { readonly reads: readonly string[]; readonly writes: readonly string[] },
  dispatch: number,
): void {
  const touch = (id: string): LifetimeBuilder => {
    const builder = builders.get(id);
    if (builder === undefined) throw wrongPlan(id, 'not declared');
    builder.first = Math.min(builder.first, dispatch);
    builder.last = Math.max(builder.last, dispatch);
    return builder;
  };
  const reads = pass.reads.map(touch);
  for (const written of pass.writes.map(touch)) {
    for (const read of reads) {
      if (read === written) throw wrongPlan(read.tensor.id, `read and written by dispatch ${dispatch}`);
      read.conflicts.add(written.index);
      written.conflicts.add(read.index);
    }
  }
}

function liveBytes(lifetimes: readonly Lifetime[], dispatches: number): number[] {
  const change = new Array<number>(dispatches + 1).fill(0);
  for (const { tensor, first, last } of lifetimes) {
    change[first] = (change[first] ?? 0) + tensor.bytes;
    change[last + 1] = (change[last + 1] ?? 0) - tensor.bytes;
  }
  let alive = 0;
  return change.slice(0, dispatches).map((delta) => {
    alive += delta;
    return alive;
  });
}

function wrongPlan(id: string, problem: string): GpuKernelShapeError {
  return new GpuKernelShapeError(`tensor "${id}" is ${problem}`, { subject: 'planMemory', field: 'steps' });
}
