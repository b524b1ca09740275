/** The memory of a plan as a profile tells it: the arenas, every value's place in them, and the rows it lives for. */
import { analyseLifetimes } from './memory/lifetimes.ts';
import { memoryRequest } from './memory-request.ts';
import type { PreparedPlan } from './prepared-plan.ts';
import type { PlacedTensor, ProfileMemory } from './profile-report.ts';

/** @param alignment of offsets in the arenas, bytes */
export function profileMemory(plan: PreparedPlan, alignment: number): ProfileMemory {
  const { arenaBytes, peakBytes, lowerBoundBytes } = plan.memory;
  return {
    arenaBytes: arenaBytes.reduce((sum, bytes) => sum + bytes, 0),
    peakBytes,
    lowerBoundBytes,
    weightBytes: plan.constantBytes,
    arenas: arenaBytes.map((bytes) => ({ bytes })),
    tensors: placedTensors(plan, alignment),
  };
}

function placedTensors(plan: PreparedPlan, alignment: number): PlacedTensor[] {
  const { lifetimes, stepStarts } = analyseLifetimes(memoryRequest(plan.execution, alignment));
  const rowOf = rowOfDispatch(stepStarts);
  return lifetimes.flatMap(({ tensor, first, last }) => {
    const slot = plan.memory.placements.get(tensor.id);
    if (slot === undefined) return [];
    return {
      name: tensor.id,
      arena: slot.arena,
      byteOffset: slot.offset,
      bytes: tensor.bytes,
      firstRow: rowOf(first),
      lastRow: rowOf(last),
    };
  });
}

/** @param stepStarts dispatches before each step, and the total at the end */
function rowOfDispatch(stepStarts: readonly number[]): (dispatch: number) => number {
  const rows = stepStarts
    .slice(1)
    .flatMap((end, row) => Array<number>(end - (stepStarts[row] ?? 0)).fill(row));
  return (dispatch) => rows[dispatch] ?? 0;
}
