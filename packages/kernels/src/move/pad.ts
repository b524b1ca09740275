/**
 * Pad as a view: one table an axis says which source coordinate each result coordinate takes. Negative pads crop,
 * first; the modes then extend what is left, as often as the pads ask (reflect does not repeat the edge).
 * https://onnx.ai/onnx/operators/onnx__Pad.html
 */
import { misfit } from '../shared/misfit.ts';
import { denseStrides, type MoveProblem, makeView, type ViewAxis } from './view.ts';

export type PadMode = 'constant' | 'reflect' | 'edge' | 'wrap';

export interface PadRequest {
  readonly srcDims: readonly number[];
  /** Elements added before the first and after the last coordinate of each axis; negative ones are taken away. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly mode: PadMode;
  /** Bits of the constant, and those above the lowest 32 of a constant of 64. */
  readonly fill?: number;
  readonly fillHigh?: number;
}

/** @throws GpuKernelShapeError for wrong lists, for crops beyond the extent, and modes with nothing to repeat. */
export function makePadProblem(request: PadRequest): MoveProblem {
  const { srcDims, before, after, mode, fill = 0, fillHigh = 0 } = request;
  for (const [field, list] of Object.entries({ before, after })) {
    if (list.length !== srcDims.length || !list.every(Number.isSafeInteger)) {
      throw misfit('pad', field, list, `${srcDims.length} integers`);
    }
  }
  const strides = denseStrides(srcDims);
  const dims = srcDims.map((extent, axis) => extent + (before[axis] ?? 0) + (after[axis] ?? 0));
  if (dims.some((extent) => extent < 0)) {
    throw misfit('pad', 'pads', dims, 'crops within the extents');
  }
  const empty = dims.includes(0);
  const axes = srcDims.map((extent, axis): ViewAxis => {
    const [front, back, stride] = [before[axis] ?? 0, after[axis] ?? 0, strides[axis] ?? 1];
    if (empty || (front === 0 && back === 0)) return { extent: dims[axis] ?? 0, stride };
    return { extent: dims[axis] ?? 0, stride, table: padTable({ extent, front, back, mode, stride }) };
  });
  return makeView({ operator: 'pad', srcDims, dims, axes, fill, fillHigh });
}

function padTable(axis: {
  readonly extent: number;
  readonly front: number;
  readonly back: number;
  readonly mode: PadMode;
  readonly stride: number;
}): Int32Array {
  const { extent, front, back, mode, stride } = axis;
  const first = Math.max(0, -front);
  const kept = extent - first - Math.max(0, -back);
  if (mode !== 'constant' && kept <= 0) {
    throw misfit('pad', 'mode', `${mode} of an empty axis`, 'something to repeat');
  }
  return Int32Array.from({ length: extent + front + back }, (_, position) => {
    const coordinate = source(position - Math.max(0, front), Math.max(kept, 0), mode);
    return coordinate < 0 ? -1 : (first + coordinate) * stride;
  });
}

/** Coordinate inside 0 .. extent - 1 that a mode gives for one outside; -1 for the constant. */
function source(position: number, extent: number, mode: PadMode): number {
  if (position >= 0 && position < extent) return position;
  switch (mode) {
    case 'constant':
      return -1;
    case 'edge':
      return position < 0 ? 0 : extent - 1;
    case 'wrap':
      return modulo(position, extent);
    case 'reflect': {
      if (extent === 1) return 0;
      const period = 2 * (extent - 1);
      const phase = modulo(position, period);
      return phase < extent ? phase : period - phase;
    }
  }
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
