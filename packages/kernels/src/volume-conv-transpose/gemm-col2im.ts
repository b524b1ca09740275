/** `volume-gemm-col2im`: the product of the two-dimensional `gemm-col2im`, gathered along three axes. */
import type { DispatchPass, GpuCapabilities } from '@onegpu/core';
import {
  type ImageRange,
  planProducts,
  productRefusal,
  productRejection,
} from '../conv-transpose/gemm-col2im.ts';
import type { ConvTransposeProblem } from '../conv-transpose/problem.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import type { AxisWindow } from '../shared/conv-geometry.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { paramsBlock } from '../shared/params-block.ts';
import { volumeExtent, volumeParams } from '../shared/volume.ts';
import { volumeCol2imWgsl } from './col2im.wgsl.ts';
import type { VolumeConvTransposeProblem } from './problem.ts';

export const volumeGemmCol2im: Algorithm<VolumeConvTransposeProblem> = {
  name: 'volume-gemm-col2im',
  impossible: (problem, target) => productRefusal(flattened(problem), target),
  reject: (problem, target) => productRejection(flattened(problem), target),
  plan: (problem, target, options) =>
    planProducts(flattened(problem), target, {
      ...{ name: 'volume-gemm-col2im', scratchBytes: options.scratchBytes },
      gather: (label, images) => gatherPass(problem, target, { label, images }),
    }),
};

/** Depth and height as one axis: right in source voxels, taps and output voxels, and in nothing else. */
function flattened(problem: VolumeConvTransposeProblem): ConvTransposeProblem {
  const { depth, height, width } = problem;
  const vertical: AxisWindow = {
    input: depth.input * height.input,
    output: depth.output * height.output,
    kernel: depth.kernel * height.kernel,
    ...{ stride: 1, dilation: 1, padBegin: 0, padEnd: 0 },
  };
  const dense = { layout: 'nchw', dstLayout: 'nchw', weightsConstant: false } as const;
  return { ...problem, vertical, horizontal: width, ...dense };
}

function gatherPass(
  problem: VolumeConvTransposeProblem,
  target: GpuCapabilities,
  { label, images }: { label: string; images: ImageRange | undefined },
): DispatchPass {
  const { batch, oc, epilogue } = problem;
  const { begin, count } = images ?? { begin: 0, count: batch };
  const elements = oc * volumeExtent(problem, 'output');
  const splice = spliceEpilogue(epilogue, 'f32', 2);
  const bindings = [
    { operand: 'scratch', access: 'read' },
    { operand: 'dst', access: 'read_write' },
    ...splice.bindings,
  ] as const;
  const params = { ...volumeParams(count, problem), dst_begin: begin * elements };
  return {
    label,
    wgsl: volumeCol2imWgsl({ problem, params, paramsBinding: bindings.length, epilogue: splice.wgsl }),
    bindings,
    params: paramsBlock(params),
    workgroups: flatWorkgroups(count * elements, target),
  };
}
