/** Algorithm `direct`: one output element of one channel (nchw) or four (nhwc4) an invocation; takes everything. */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { directAverageWgsl } from './direct-average.wgsl.ts';
import { directMaxWgsl } from './direct-max.wgsl.ts';
import { poolCost, poolLabel } from './label.ts';
import type { PoolProblem } from './problem.ts';
import type { WindowSpec } from './window-taps.wgsl.ts';

export const DIRECT_POOL: Algorithm<PoolProblem> = {
  name: 'direct',
  impossible: () => undefined,
  reject: () => undefined,
  plan: planDirect,
};

function planDirect(problem: PoolProblem, target: GpuCapabilities): DispatchPlan {
  const { operation, src, dst, height, width } = problem;
  const total = dst.outer * dst.height * dst.width * dst.inner;
  const label = poolLabel(problem, DIRECT_POOL.name);
  const spec = windowSpec(problem);
  return {
    operator: `${operation}-pool`,
    algorithm: DIRECT_POOL.name,
    label,
    passes: [
      {
        label,
        wgsl:
          operation === 'max'
            ? directMaxWgsl(spec)
            : directAverageWgsl({ ...spec, countIncludePad: problem.countIncludePad }),
        bindings: [
          { operand: 'src', access: 'read', bits: 'float32' },
          { operand: 'dst', access: 'read_write', bits: 'float32' },
        ],
        params: Uint32Array.of(
          total,
          src.height,
          src.width,
          dst.height,
          dst.width,
          height.padBegin,
          width.padBegin,
          height.padEnd,
          width.padEnd,
          0,
          0,
          0,
        ),
        workgroups: flatWorkgroups(total, target),
      },
    ],
    scratch: [],
    tables: [],
    packing: [],
    cost: poolCost(problem),
  };
}

function windowSpec(problem: PoolProblem): WindowSpec {
  const { src, height, width, channels } = problem;
  return {
    lanes: src.lanes,
    inner: Math.max(src.inner, 1),
    channels,
    kernelH: height.kernel,
    kernelW: width.kernel,
    strideH: height.stride,
    strideW: width.stride,
    dilationH: height.dilation,
    dilationW: width.dilation,
  };
}
