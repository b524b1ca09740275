/**
 * Max unpooling: every element of src goes where its index says, everything else is zero. Indices count over the
 * whole extents that the window attributes lead back to,
 *
 *   inner[axis] = (src[axis] - 1) * stride + kernel - padBegin - padEnd,
 *
 * and a given output shape holds that volume at its start, zeros behind it (what lies outside is dropped).
 * https://onnx.ai/onnx/operators/onnx__MaxUnpool.html
 */
import { transposedWindows } from '../shared/conv-geometry.ts';
import { elementCount } from '../shared/layout.ts';
import { misfit } from '../shared/misfit.ts';
import { requireTensor } from '../shared/tensor-size.ts';

export interface MaxUnpoolProblem {
  /** [batch, channels, ...spatial], dense. */
  readonly srcDims: readonly number[];
  /** Dims that the indices count over. */
  readonly innerDims: readonly number[];
  readonly dstDims: readonly number[];
  /** Elements of src, and of dst. */
  readonly sources: number;
  readonly outputs: number;
}

export interface MaxUnpoolRequest {
  readonly dims: readonly number[];
  readonly indicesDims: readonly number[];
  readonly kernel: readonly number[];
  readonly strides?: readonly number[] | undefined;
  readonly pads?: readonly number[] | undefined;
  /** Dims of dst, batch and channels included. */
  readonly outputShape?: readonly number[] | undefined;
}

/** @throws GpuKernelShapeError for other than one to three spatial axes, and shapes and lists that do not fit. */
export function makeMaxUnpoolProblem(request: MaxUnpoolRequest): MaxUnpoolProblem {
  const { dims, indicesDims, kernel, strides, pads, outputShape } = request;
  const spatial = dims.slice(2);
  if (spatial.length < 1 || spatial.length > 3) {
    throw misfit('MaxUnpool', 'rank', dims, '[batch, channels, ...spatial] with one to three spatial axes');
  }
  if (indicesDims.length !== dims.length || indicesDims.some((extent, axis) => extent !== dims[axis])) {
    throw misfit('MaxUnpool', 'indices', indicesDims, `the dims [${dims.join(', ')}] of the values`);
  }
  const windows = transposedWindows('MaxUnpool', spatial, { kernel, strides, pads });
  const innerDims = [...dims.slice(0, 2), ...windows.map((axis) => axis.output)];
  const dstDims = outputShape ?? innerDims;
  const fits =
    dstDims.length === dims.length &&
    dstDims[0] === dims[0] &&
    dstDims[1] === dims[1] &&
    dstDims.every((extent) => Number.isSafeInteger(extent) && extent >= 0);
  if (!fits)
    throw misfit('MaxUnpool', 'output_shape', dstDims, `[${dims.slice(0, 2).join(', ')}, ...spatial]`);
  requireTensor('MaxUnpool', 'src', dims);
  requireTensor('MaxUnpool', 'indices', innerDims);
  requireTensor('MaxUnpool', 'dst', dstDims);
  return {
    srcDims: dims,
    innerDims,
    dstDims,
    sources: elementCount(dims),
    outputs: elementCount(dstDims),
  };
}
