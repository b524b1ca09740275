/**
 * What a convolution is to the kernels: explicit extents and pads, two spatial axes (a 1-D convolution has height
 * 1). Weights are [oc, ic / groups, kh, kw] (OIHW) at the API.
 *
 *   dst[n, o, y, x] = sum over c, r, s of src[n, g * icg + c, y * strideH - padTop + r * dilationH, ...] * weights[o, c, r, s]
 *   with g = o / (oc / groups)
 */
import { liftTo2d, slidingWindows, type WindowRequest } from '../shared/conv-geometry.ts';
import type { Epilogue } from '../shared/epilogue.ts';
import { type Layout, layoutElements } from '../shared/layout.ts';
import { misfit } from '../shared/misfit.ts';
import { requireTensor } from '../shared/tensor-size.ts';
import { type ConvShortcut, makeShortcut, type ShortcutRequest } from './shortcut.ts';

export interface ConvProblem {
  readonly batch: number;
  readonly ic: number;
  readonly ih: number;
  readonly iw: number;
  readonly oc: number;
  readonly kh: number;
  readonly kw: number;
  readonly oh: number;
  readonly ow: number;
  readonly groups: number;
  readonly strideH: number;
  readonly strideW: number;
  readonly dilationH: number;
  readonly dilationW: number;
  readonly padTop: number;
  readonly padLeft: number;
  readonly padBottom: number;
  readonly padRight: number;
  /** Layout of `src` unless it lies in `planes`, of `residual` and `dst`. */
  readonly layout: Layout;
  readonly epilogue: Epilogue;
  /** Whether src is multiplied by the operand `gate`, [batch, ic, 1, 1], as it is read. */
  readonly gate: boolean;
  /** A 1x1 convolution of another source that is part of the sum; groups are 1 then, and `epilogue` has no residual. */
  readonly shortcut: ConvShortcut | undefined;
  /** Whether src is nchw, of at most four channels, though the layout is nhwc4; groups are 1 then. */
  readonly planes: boolean;
  /** Whether weights and bias are known when the plan is made, so that they can be packed on the host. */
  readonly weightsConstant: boolean;
  /** How the weights lie in memory; kernels read either, packings that calculate float32 only. */
  readonly weightsType: WeightsType;
}

export type WeightsType = 'float32' | 'float16';

export interface ConvRequest extends Omit<WindowRequest, 'kernel'> {
  /** [batch, ic, ih, iw], or [batch, ic, iw] for one spatial axis. */
  readonly src: readonly number[];
  /** [oc, ic / groups, kh, kw], or [oc, ic / groups, kw]. */
  readonly weights: readonly number[];
  readonly groups?: number | undefined;
  readonly layout: Layout;
  readonly epilogue: Epilogue;
  readonly gate?: boolean | undefined;
  readonly shortcut?: ShortcutRequest | undefined;
  readonly planes?: boolean | undefined;
  readonly weightsConstant: boolean;
  /** Default float32. */
  readonly weightsType?: WeightsType | undefined;
}

/**
 * Checks a request and computes every extent once.
 * @throws GpuKernelShapeError with the operator's name for ranks, channels or attributes that do not fit.
 */
export function makeConvProblem(request: ConvRequest, operator = 'Conv'): ConvProblem {
  const { src, weights } = request;
  const [batch = 0, ic = 0, ...spatial] = src;
  const [oc = 0, icg = 0, ...kernel] = weights;
  const groups = request.groups ?? 1;
  const expectFact = (field: string, got: string | number, holds: boolean, expected: string): void => {
    if (!holds) throw misfit(operator, field, got, expected);
  };
  expectFact('rank', src.length, src.length === 3 || src.length === 4, '3 or 4');
  expectFact('weights rank', weights.length, weights.length === src.length, String(src.length));
  expectFact('group', groups, Number.isSafeInteger(groups) && groups >= 1, 'an integer of at least 1');
  expectFact('planes', `${ic} channels`, request.planes !== true || (ic <= 4 && groups === 1), 'at most 4');
  expectFact('weights', `${icg} input channels a group`, icg * groups === ic, `${ic} / ${groups}`);
  expectFact('weights', `${oc} output channels`, oc % groups === 0, `a multiple of group = ${groups}`);
  requireTensor(operator, 'src', src);
  requireTensor(operator, 'weights', weights);
  const windows = slidingWindows(operator, spatial, { ...request, kernel });
  const [vertical, horizontal] = liftTo2d(operator, windows);
  requireTensor(operator, 'dst', [batch, oc, ...windows.map((axis) => axis.output)]);
  const problem: ConvProblem = {
    batch,
    ic,
    ih: vertical.input,
    iw: horizontal.input,
    oc,
    kh: vertical.kernel,
    kw: horizontal.kernel,
    oh: vertical.output,
    ow: horizontal.output,
    groups,
    strideH: vertical.stride,
    strideW: horizontal.stride,
    dilationH: vertical.dilation,
    dilationW: horizontal.dilation,
    padTop: vertical.padBegin,
    padLeft: horizontal.padBegin,
    padBottom: vertical.padEnd,
    padRight: horizontal.padEnd,
    layout: request.layout,
    epilogue: request.epilogue,
    gate: request.gate ?? false,
    shortcut: undefined,
    planes: request.planes ?? false,
    weightsConstant: request.weightsConstant,
    weightsType: request.weightsType ?? 'float32',
  };
  requireUpsample(problem, operator);
  if (request.shortcut === undefined) return problem;
  return { ...problem, shortcut: makeShortcut(problem, request.shortcut, operator) };
}

function requireUpsample({ epilogue, layout, oc, oh, ow }: ConvProblem, operator: string): void {
  const { residual, upsample } = epilogue;
  if (upsample === undefined) return;
  const [rows, columns] = upsample.factors;
  const whole = (extent: number, factor: number): boolean =>
    Number.isSafeInteger(factor) && factor >= 1 && extent % factor === 0;
  if (residual && layout === 'nhwc4' && upsample.channels === oc && whole(oh, rows) && whole(ow, columns))
    return;
  const got = `${upsample.channels} channels by ${rows}x${columns} in ${layout}`;
  throw misfit(
    operator,
    'upsample',
    got,
    `a residual of ${oc} channels in nhwc4, by divisors of ${oh}x${ow}`,
  );
}

/** Reason against kernels that cannot find a dst element's place in a smaller residual. */
export function needsWholeResidual({ epilogue }: ConvProblem): string | undefined {
  return epilogue.upsample === undefined
    ? undefined
    : 'the residual is a smaller map, which this kernel does not read';
}

/** Terms summed into one output: taps times the input channels of a group, and the channels of a shortcut. */
export function convTerms(problem: ConvProblem): number {
  return problem.kh * problem.kw * (problem.ic / problem.groups) + (problem.shortcut?.ic ?? 0);
}

/** vec4 of terms that an implicit GEMM walks over src: each tap's channels padded, or those of planes without a gap. */
export function gemmQuads({ kh, kw, ic, planes }: ConvProblem): number {
  return planes ? Math.ceil((kh * kw * ic) / 4) : kh * kw * Math.ceil(ic / 4);
}

/** Elements of `dst`, padding of the layout included. */
export function convDstElements(problem: ConvProblem): number {
  return layoutElements([problem.batch, problem.oc, problem.oh, problem.ow], problem.layout);
}

/** Output pixels of the whole batch: rows of the GEMM view. */
export function convPixels(problem: ConvProblem): number {
  return problem.batch * problem.oh * problem.ow;
}

/** One tap, no pads: a matrix product over pixels (stride 1 also means that pixel m of dst reads pixel m of src). */
export function isPointwise(problem: ConvProblem): boolean {
  const { kh, kw, strideH, strideW, padTop, padLeft, padBottom, padRight } = problem;
  return kh * kw * strideH * strideW === 1 && padTop + padLeft + padBottom + padRight === 0;
}

/** One tap and no pads: no tap lies outside the picture, whatever its size. */
export function isUnpadded(problem: ConvProblem): boolean {
  const { kh, kw, padTop, padLeft, padBottom, padRight } = problem;
  return kh * kw === 1 && padTop + padLeft + padBottom + padRight === 0;
}
