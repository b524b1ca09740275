/** Algorithm `direct`: one sum an invocation over the matrices as ONNX writes them; takes everything. */
import type { DispatchPlan, GpuCapabilities, PassBinding } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { broadcastFields, broadcastIndexWgsl, broadcastParams, mergeAxes } from '../shared/broadcast.ts';
import {
  elementwiseMain,
  elementwiseWorkgroups,
  itemsPerInvocation,
  paramsWgsl,
  paramsWords,
} from '../shared/elementwise.ts';
import { elementCount } from '../shared/layout.ts';
import { matmulIntegerCost, matmulIntegerLabel } from './label.ts';
import type { MatMulIntegerProblem } from './problem.ts';

export const DIRECT_MATMUL_INTEGER: Algorithm<MatMulIntegerProblem> = {
  name: 'direct',
  impossible: () => undefined,
  reject: () => undefined,
  plan: planDirect,
};

function planDirect(problem: MatMulIntegerProblem, target: GpuCapabilities): DispatchPlan {
  const { fullDims, gemmK, gemmN } = problem;
  const label = matmulIntegerLabel(problem, 'direct');
  const count = elementCount(fullDims);
  return {
    operator: 'matmul-integer',
    algorithm: 'direct',
    label,
    passes: [
      {
        label,
        wgsl: directWgsl(problem, target),
        bindings: bindingsOf(problem),
        params: paramsWords(count, [gemmK, gemmN, ...broadcastParams(axesOf(problem))]),
        workgroups: elementwiseWorkgroups(count, target),
      },
    ],
    scratch: [],
    tables: [],
    packing: [],
    cost: matmulIntegerCost(problem),
  };
}

/** Operands: 0 rows of src, 1 columns of weights, 2 and 3 the zero points. */
function axesOf({ fullDims, rowDims, columnDims, srcZeroDims, weightsZeroDims }: MatMulIntegerProblem) {
  return mergeAxes(fullDims, [rowDims, columnDims, srcZeroDims ?? [], weightsZeroDims ?? []]);
}

function bindingsOf({ srcZeroDims, weightsZeroDims }: MatMulIntegerProblem): readonly PassBinding[] {
  return [
    { operand: 'src', access: 'read' },
    { operand: 'weights', access: 'read' },
    { operand: 'dst', access: 'read_write' },
    ...(srcZeroDims === undefined ? [] : [{ operand: 'srcZeroPoint', access: 'read' } as const]),
    ...(weightsZeroDims === undefined ? [] : [{ operand: 'weightsZeroPoint', access: 'read' } as const]),
  ];
}

function directWgsl(problem: MatMulIntegerProblem, target: GpuCapabilities): string {
  const axes = axesOf(problem);
  const { srcZeroDims, weightsZeroDims } = problem;
  const second = srcZeroDims === undefined ? 3 : 4;
  const declare = (binding: number, name: string): string =>
    `@group(0) @binding(${binding}) var<storage, read> ${name}: array<i32>;`;
  return `
@group(0) @binding(0) var<storage, read> src: array<i32>;      // [..., m, k]
@group(0) @binding(1) var<storage, read> weights: array<i32>;  // [..., k, n]
@group(0) @binding(2) var<storage, read_write> dst: array<i32>;
${srcZeroDims === undefined ? '' : declare(3, 'src_zero_point')}
${weightsZeroDims === undefined ? '' : declare(second, 'weights_zero_point')}
${paramsWgsl(bindingsOf(problem).length, ['gemm_k: u32', 'gemm_n: u32', ...broadcastFields(axes)])}
${broadcastIndexWgsl('row_of', axes, 0)}
${broadcastIndexWgsl('column_of', axes, 1)}
${broadcastIndexWgsl('src_zero_of', axes, 2)}
${broadcastIndexWgsl('weights_zero_of', axes, 3)}
fn sum_of(position: u32) -> i32 {
  let row = row_of(position) * params.gemm_k;
  let column = column_of(position);
  let first = column / params.gemm_n * params.gemm_n * params.gemm_k + column % params.gemm_n;
  let src_zero = ${srcZeroDims === undefined ? '0' : 'src_zero_point[src_zero_of(position)]'};
  let weights_zero = ${weightsZeroDims === undefined ? '0' : 'weights_zero_point[weights_zero_of(position)]'};
  var sum = 0i;
  for (var k = 0u; k < params.gemm_k; k++) {
    sum += (src[row + k] - src_zero) * (weights[first + k * params.gemm_n] - weights_zero);
  }
  return sum;
}
${elementwiseMain(itemsPerInvocation(target), 'dst[position] = sum_of(position);')}`;
}
