/**
 * Pictures of several sizes brought to one by nearest resampling, each times a gate where it has one, and put side by
 * side along the channels or added in order: the junctions of a feature pyramid. Channels last.
 *
 *   part_i[n, c, y, x] = src_i[n, c, rows_i[y], columns_i[x]] * gate_i[n, c]
 */
import type { ResizeProblem } from '../resize/problem.ts';
import { misfit } from '../shared/misfit.ts';

export interface MapPart {
  /** From the part's picture to the common size; one that resamples nothing where they are equal. */
  readonly resize: ResizeProblem;
  readonly gated: boolean;
}

export interface MergeMapsProblem {
  readonly merge: 'concat' | 'sum';
  readonly parts: readonly MapPart[];
  /** [batch, channels, height, width] */
  readonly dstDims: readonly number[];
}

/** @throws GpuKernelShapeError for parts that do not fit together, resampled otherwise or of uneven channels. */
export function makeMergeMapsProblem({
  merge,
  parts,
}: Pick<MergeMapsProblem, 'merge' | 'parts'>): MergeMapsProblem {
  const [first] = parts;
  const [batch = 0, channels = 0] = first?.resize.dstDims ?? [];
  const height = commonExtent(parts, 2);
  const width = commonExtent(parts, 3);
  parts.forEach(({ resize }, index) => {
    const { dstDims, touched, sampling } = resize;
    const nearest = sampling.mode === 'nearest' && sampling.coordinates !== 'tf_crop_and_resize';
    const spatial = dstDims.length === 4 && touched.every((axis) => axis >= 2);
    expectPart(index, 'mode', nearest && spatial, 'nearest resampling of height and width');
    const own = dstDims[1] ?? 0;
    const wanted = [batch, merge === 'sum' ? channels : own, height, width];
    const fits = wanted.every(
      (extent, axis) => extent === dstDims[axis] || (merge === 'sum' && axis >= 2 && dstDims[axis] === 1),
    );
    expectPart(index, `[${dstDims.join(', ')}]`, fits, `[${wanted.join(', ')}]`);
    expectPart(index, `${own} channels`, merge === 'sum' || own % 4 === 0, 'a multiple of 4');
  });
  const total = parts.reduce((sum, { resize }) => sum + (resize.dstDims[1] ?? 0), 0);
  return { merge, parts, dstDims: [batch, merge === 'sum' ? channels : total, height, width] };
}

/** Extent of the common picture: a part of one row or column in a sum is repeated, as Add broadcasts it. */
function commonExtent(parts: readonly MapPart[], axis: number): number {
  const extents = parts.map(({ resize }) => resize.dstDims[axis] ?? 0);
  return extents.find((extent) => extent !== 1) ?? extents[0] ?? 0;
}

function expectPart(part: number, got: string, holds: boolean, expected: string): void {
  if (holds) return;
  throw misfit('MergeMaps', `part ${part}`, got, expected);
}
