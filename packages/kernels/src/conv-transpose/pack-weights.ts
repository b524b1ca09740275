/**
 * Constant weights [ic, oc / groups, kh, kw] as the vec4 kernels read them, zeros in every padding lane:
 *
 *   gather         [tap][k of a group, padded to 4][oc padded to 4]; depthwise [tap][oc padded to 4]
 *   columns        [k padded to 4][tap][oc padded to 4], the right-hand matrix of a product
 *   pixel-shuffle  columns; with one output channel [k padded to 4][taps padded to 4]
 */
import { type OperandArray, type OperandPacking, type PackingMemory, sameKind } from '@onegpu/core';
import { paddedChannels } from '../shared/layout.ts';
import type { ConvTransposeProblem } from './problem.ts';
import { tapCount } from './spec.ts';

interface Position {
  readonly tap: number;
  /** Input channel within its group. */
  readonly k: number;
  /** Output channel, over all groups. */
  readonly c: number;
}

export function gatherPacking(problem: ConvTransposeProblem): OperandPacking {
  const { ic, oc, groups } = problem;
  const columns = paddedChannels(oc);
  const rows = groups === 1 || ic > groups ? paddedChannels(ic / groups) : 1;
  return packing(
    problem,
    'gather',
    tapCount(problem) * rows * columns,
    ({ tap, k, c }) => (tap * rows + k) * columns + c,
  );
}

export function pixelShufflePacking(problem: ConvTransposeProblem): OperandPacking {
  const { ic, oc } = problem;
  const taps = tapCount(problem);
  const rows = paddedChannels(ic);
  if (oc === 1) {
    const columns = paddedChannels(taps);
    return packing(problem, 'pixel-shuffle', rows * columns, ({ tap, k }) => k * columns + tap);
  }
  return columnsPacking(problem);
}

/** One group only. */
export function columnsPacking(problem: ConvTransposeProblem): OperandPacking {
  const { ic, oc } = problem;
  const taps = tapCount(problem);
  const columns = paddedChannels(oc);
  const length = paddedChannels(ic) * taps * columns;
  return packing(problem, 'columns', length, ({ tap, k, c }) => (k * taps + tap) * columns + c);
}

function packing(
  problem: ConvTransposeProblem,
  arrangement: string,
  length: number,
  index: (position: Position) => number,
): OperandPacking {
  const { ic, oc, groups } = problem;
  const taps = tapCount(problem);
  const ocPerGroup = oc / groups;
  const icPerGroup = ic / groups;
  const pack = <T extends OperandArray>(source: T, memory: PackingMemory = sameKind): T => {
    const packed = memory(source, length);
    for (let k = 0; k < ic; k++) {
      const firstChannel = Math.floor(k / icPerGroup) * ocPerGroup;
      for (let c = 0; c < ocPerGroup; c++) {
        for (let tap = 0; tap < taps; tap++) {
          const at = index({ tap, k: k % icPerGroup, c: firstChannel + c });
          packed[at] = source[(k * ocPerGroup + c) * taps + tap] as number;
        }
      }
    }
    return packed;
  };
  const shape = `${ic}x${ocPerGroup}x${taps}/${groups}`;
  return { operand: 'weights', key: `conv-transpose/${arrangement}/${shape}`, pack };
}
