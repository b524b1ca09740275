/**
 * Constant weights [ic, oc / groups, kh, kw] as the vec4 kernels read them, zeros in every padding lane:
 *
 *   gather         [tap][k of a group, padded to 4][oc padded to 4]; depthwise [tap][oc padded to 4]
 *   columns        [k padded to 4][tap][oc padded to 4], the right-hand matrix of a product
 *   pixel-shuffle  columns; with one output channel [k padded to 4][taps padded to 4]
 */
import type { OperandPacking } from '@onegpu/core';
import { paddedChannels } from '../shared/layout.ts';
import { packFilters } from '../shared/move-filters.ts';
import type { ConvTransposeProblem } from './problem.ts';
import { tapCount } from './spec.ts';

/** Elements of the target between neighbouring input channels of a group, and between taps; output channels are neighbours. */
interface Places {
  readonly length: number;
  readonly channelStride: number;
  readonly tapStride: number;
}

export function gatherPacking(problem: ConvTransposeProblem): OperandPacking {
  const { ic, oc, groups } = problem;
  const columns = paddedChannels(oc);
  const rows = groups === 1 || ic > groups ? paddedChannels(ic / groups) : 1;
  const tapStride = rows * columns;
  const length = tapCount(problem) * tapStride;
  return packing(problem, 'gather', { length, channelStride: columns, tapStride });
}

export function pixelShufflePacking(problem: ConvTransposeProblem): OperandPacking {
  const { ic, oc } = problem;
  if (oc !== 1) return columnsPacking(problem);
  const columns = paddedChannels(tapCount(problem));
  const length = paddedChannels(ic) * columns;
  return packing(problem, 'pixel-shuffle', { length, channelStride: columns, tapStride: 1 });
}

/** One group only. */
export function columnsPacking(problem: ConvTransposeProblem): OperandPacking {
  const tapStride = paddedChannels(problem.oc);
  const channelStride = tapCount(problem) * tapStride;
  const length = paddedChannels(problem.ic) * channelStride;
  return packing(problem, 'columns', { length, channelStride, tapStride });
}

function packing(problem: ConvTransposeProblem, arrangement: string, places: Places): OperandPacking {
  const { ic, oc, groups } = problem;
  const taps = tapCount(problem);
  const ocPerGroup = oc / groups;
  const icPerGroup = ic / groups;
  const moves = Array.from({ length: ic }, (_, k) => ({
    ...{ filters: ocPerGroup, channels: 1, taps, from: k * ocPerGroup * taps },
    to: (k % icPerGroup) * places.channelStride + Math.floor(k / icPerGroup) * ocPerGroup,
    ...{ channelStride: 0, tapStride: places.tapStride },
  }));
  const shape = `${ic}x${ocPerGroup}x${taps}/${groups}`;
  return {
    operand: 'weights',
    key: `conv-transpose/${arrangement}/${shape}`,
    elements: places.length,
    pack: (source, memory) => packFilters(source, { length: places.length, moves }, memory),
  };
}
