/** Resize and Upsample in float64; what moves elements is exact. */
import {
  elementWords,
  isInteger,
  PLAIN_EPILOGUE,
  type ResizeProblem,
  referenceResize,
  resizeSum,
  toInteger,
} from '@onegpu/kernels';
import type { NodeContext, ReferenceOutput } from '../op-definition.ts';
import { allocateData, Tensor, type TensorData, type TensorType } from '../tensor.ts';
import { requireConstant } from './host-input.ts';
import { exact, floatsOf, picks, sums } from './reference.ts';
import { resizeProblemOf } from './resize.ts';

export function resizeReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = resizeProblemOf(context, { layout: 'nchw', epilogue: PLAIN_EPILOGUE });
  const { dstDims, sampling, element } = problem;
  const { type, data } = requireConstant(context, 0);
  if (sampling.mode === 'nearest' && element !== 'float32') {
    return exact([pickNearest(problem, type, data as PickData)]);
  }
  const values = referenceResize(
    problem,
    type === 'float16' ? floatsOf(context, 0) : (data as ArrayLike<number>),
  );
  if (isInteger(element)) {
    const elements = Array.from(values, (value) => toInteger(value, element));
    return exact([new Tensor(type, elements, dstDims)]);
  }
  return [sampling.mode === 'nearest' ? picks(dstDims, values) : sums(dstDims, values, resizeSum(problem))];
}

type PickData = { [index: number]: number | bigint; readonly length: number };

/** Nearest of integers of any width: the reference runs over positions, -1 is outside. */
function pickNearest(problem: ResizeProblem, type: TensorType, data: PickData): Tensor {
  const positions = Float64Array.from({ length: data.length }, (_, index) => index);
  const marked = { ...problem, sampling: { ...problem.sampling, extrapolation: -1 } };
  const picked = referenceResize(marked, positions);
  const [low, high] = elementWords(problem.sampling.extrapolation, problem.element);
  const outside = typeof data[0] === 'bigint' ? (BigInt(high) << 32n) | BigInt(low) : low;
  const result = allocateData(type, picked.length) as PickData;
  picked.forEach((position, index) => {
    result[index] = (position < 0 ? outside : data[position]) ?? 0;
  });
  return new Tensor(type, result as TensorData, problem.dstDims);
}
