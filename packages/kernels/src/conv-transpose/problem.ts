/**
 * Transposed convolution (ONNX ConvTranspose), one or two spatial axes; one axis is lifted to height 1.
 *
 *   dst[b, c, y, x] = activation(sum src[b, k, iy, ix] * weights[k, c in its group, r, s] + bias[c] + residual)
 *   over all taps with y + padTop = iy * strideH + r * dilationH, and likewise along x.
 *
 * weights are [ic, oc / groups, kh, kw]. https://onnx.ai/onnx/operators/onnx__ConvTranspose.html
 */
import type { Activation } from '../shared/activation.ts';
import {
  type AxisWindow,
  liftTo2d,
  type TransposedRequest,
  transposedWindows,
} from '../shared/conv-geometry.ts';
import type { Epilogue } from '../shared/epilogue.ts';
import type { Layout } from '../shared/layout.ts';
import { misfit } from '../shared/misfit.ts';
import { requireTensor } from '../shared/tensor-size.ts';

export interface ConvTransposeProblem {
  readonly batch: number;
  readonly groups: number;
  readonly ic: number;
  readonly oc: number;
  /** Windows of both axes; `output` counts elements of `dst`. */
  readonly vertical: AxisWindow;
  readonly horizontal: AxisWindow;
  /** Of src. */
  readonly layout: Layout;
  /** Of residual and dst; another than `layout` for one output channel only, which `pixel-taps` can write dense. */
  readonly dstLayout: Layout;
  /** `weights` and `bias` are known at load and may be packed. */
  readonly weightsConstant: boolean;
  readonly epilogue: Epilogue;
  /** [batch, oc, ...spatial] with as many spatial axes as src. */
  readonly dstDims: readonly number[];
}

export interface ConvTransposeOptions extends Omit<TransposedRequest, 'kernel'> {
  /** [batch, ic, (ih,) iw]. */
  readonly srcDims: readonly number[];
  /** [ic, oc / groups, (kh,) kw]. */
  readonly weightsDims: readonly number[];
  /** [oc]; absent: no bias. */
  readonly biasDims?: readonly number[] | undefined;
  readonly groups?: number;
  readonly layout?: Layout;
  /** Default `layout`. */
  readonly dstLayout?: Layout | undefined;
  readonly weightsConstant?: boolean;
  readonly residual?: boolean;
  readonly activation?: readonly Activation[];
}

const OPERATOR = 'conv-transpose';

/** @throws GpuKernelShapeError for wrong ranks, channels, groups, bias or window attributes. */
export function makeConvTransposeProblem(options: ConvTransposeOptions): ConvTransposeProblem {
  const { srcDims, weightsDims, groups = 1 } = options;
  checkRank('src', srcDims, srcDims.length);
  checkRank('weights', weightsDims, srcDims.length);
  requireTensor(OPERATOR, 'src', srcDims);
  requireTensor(OPERATOR, 'weights', weightsDims);
  const [batch = 0, ic = 0] = srcDims;
  const [weightsIc = 0, ocPerGroup = 0] = weightsDims;
  expectEqual('weights', weightsIc, ic, 'the input channels');
  if (!Number.isSafeInteger(groups) || groups < 1 || ic % groups !== 0) {
    throw misfit(OPERATOR, 'groups', groups, `a divisor of the ${ic} input channels`);
  }
  const oc = ocPerGroup * groups;
  const bias = options.biasDims;
  if (bias !== undefined && (bias.length !== 1 || bias[0] !== oc)) {
    throw misfit(OPERATOR, 'bias', bias, `[${oc}]`);
  }
  const { layout = 'nchw', dstLayout = layout } = options;
  if (dstLayout !== layout && (dstLayout !== 'nchw' || oc !== 1)) {
    throw misfit(
      OPERATOR,
      'dstLayout',
      `${dstLayout} with ${oc} channels`,
      `${layout}, or nchw with one channel`,
    );
  }
  const axes = transposedWindows(OPERATOR, srcDims.slice(2), { ...options, kernel: weightsDims.slice(2) });
  const [vertical, horizontal] = liftTo2d(OPERATOR, axes);
  const dstDims = [batch, oc, ...axes.map((axis) => axis.output)];
  requireTensor(OPERATOR, 'dst', dstDims);
  return {
    batch,
    groups,
    ic,
    oc,
    vertical,
    horizontal,
    layout,
    dstLayout,
    weightsConstant: options.weightsConstant ?? false,
    epilogue: {
      bias: bias !== undefined,
      residual: options.residual ?? false,
      activation: options.activation ?? [],
    },
    dstDims,
  };
}

function checkRank(field: string, dims: readonly number[], rank: number): void {
  if ((rank === 3 || rank === 4) && dims.length === rank) return;
  throw misfit(
    OPERATOR,
    field,
    `rank ${dims.length}`,
    rank === 3 || rank === 4 ? `rank ${rank} as src` : 'rank 3 or 4',
  );
}

function expectEqual(field: string, got: number, expected: number, what: string): void {
  if (got !== expected) throw misfit(OPERATOR, field, got, `${expected}, ${what}`);
}
