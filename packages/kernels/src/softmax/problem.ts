/**
 * Softmax and LogSoftmax over [outer, extent, inner], the middle normalised.
 * https://onnx.ai/onnx/operators/onnx__Softmax.html
 */
import { misfit } from '../shared/misfit.ts';

export interface SoftmaxProblem {
  readonly operation: 'softmax' | 'log-softmax';
  readonly dims: readonly number[];
  readonly outer: number;
  readonly extent: number;
  readonly inner: number;
}

export interface SoftmaxRequest {
  readonly operation: SoftmaxProblem['operation'];
  readonly dims: readonly number[];
  /** Negative counts from the end. */
  readonly axis: number;
  /** `along`: only the axis (opset 13 on). `from`: all axes from it on as one, [outer, rest] (before). */
  readonly extends: 'along' | 'from';
}

/** @throws GpuKernelShapeError for an axis out of range; `from` takes the rank itself too (rows of one). */
export function makeSoftmaxProblem(request: SoftmaxRequest): SoftmaxProblem {
  const { operation, dims, axis, extends: reach } = request;
  const rank = dims.length;
  const at = axis < 0 ? axis + rank : axis;
  const last = reach === 'from' ? rank : Math.max(rank - 1, 0);
  if (!Number.isInteger(at) || at < 0 || at > last) {
    const subject = operation === 'softmax' ? 'Softmax' : 'LogSoftmax';
    throw misfit(subject, 'axis', axis, `${-rank} to ${last}`);
  }
  const product = (extents: readonly number[]): number =>
    extents.reduce((value, extent) => value * extent, 1);
  const end = reach === 'from' ? rank : at + 1;
  return {
    operation,
    dims,
    outer: product(dims.slice(0, at)),
    extent: product(dims.slice(at, end)),
    inner: product(dims.slice(end)),
  };
}
