/** Label and cost of a plan of integer convolution. */
import type { PlanCost } from '@onegpu/core';
import { elementCount, layoutElements } from '../shared/layout.ts';
import type { ConvIntegerProblem } from './problem.ts';

/** `conv-integer/packed-dot/u8i8/3x3s2x2/nhwc4`. */
export function convIntegerLabel(problem: ConvIntegerProblem, algorithm: string): string {
  const { axes, layout, srcType, weightsType } = problem;
  const used = axes.slice(3 - (problem.srcDims.length - 2));
  const kernel = used.map((axis) => axis.kernel).join('x');
  const strides = used.map((axis) => axis.stride).join('x');
  const types = `${srcType}${weightsType}`.replaceAll('uint', 'u').replaceAll('int', 'i');
  return `conv-integer/${algorithm}/${types}/${kernel}s${strides}/${layout}`;
}

export function convIntegerCost(problem: ConvIntegerProblem): PlanCost {
  const { srcDims, weightsDims, dstDims, layout } = problem;
  const outputs = layoutElements(dstDims, layout);
  return {
    flops: 2 * elementCount(dstDims) * elementCount(weightsDims.slice(1)),
    bytes: layoutElements(srcDims, layout) + elementCount(weightsDims) + 4 * outputs,
  };
}
