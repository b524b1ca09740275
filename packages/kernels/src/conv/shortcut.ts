/**
 * A second source whose 1x1 convolution is part of the same sum: the shortcut of a residual block, as more terms of
 * the GEMM. The sum before the epilogue is
 *   weights * src + sum over c of shortcutWeights[oc, c] * shortcutSrc[n, c, y * strideH, x * strideW]
 * so the result of the shortcut is never stored. Its terms begin a K tile of their own: one tile reads one source.
 */
import type { PassBinding } from '@onegpu/core';
import { misfit } from '../shared/misfit.ts';
import { requireTensor } from '../shared/tensor-size.ts';
import type { ConvProblem } from './problem.ts';

export interface ConvShortcut {
  /** Channels of `shortcutSrc`, [batch, ic, ih, iw] in the layout of src. */
  readonly ic: number;
  readonly ih: number;
  readonly iw: number;
  readonly strideH: number;
  readonly strideW: number;
}

export interface ShortcutRequest {
  /** [batch, ic, ih, iw] */
  readonly src: readonly number[];
  /** [oc, ic, 1, 1] */
  readonly weights: readonly number[];
  readonly strides?: readonly number[] | undefined;
}

/**
 * @param problem the convolution the shortcut is added to
 * @throws GpuKernelShapeError where its result would have other extents than the convolution's
 */
export function makeShortcut(problem: ConvProblem, request: ShortcutRequest, operator: string): ConvShortcut {
  const [batch, ic = 0, ih = 0, iw = 0] = request.src;
  const [strideH = 1, strideW = 1] = request.strides ?? [];
  const expectFact = (field: string, got: readonly number[], expected: readonly number[]): void => {
    if (String(got) !== String(expected)) throw misfit(operator, field, got, expected);
  };
  requireTensor(operator, 'shortcutSrc', request.src);
  expectFact('groups', [problem.groups], [1]);
  expectFact('shortcutWeights', request.weights, [problem.oc, ic, 1, 1]);
  const dims = [batch ?? 0, Math.ceil(ih / strideH), Math.ceil(iw / strideW)];
  expectFact('shortcutSrc', dims, [problem.batch, problem.oh, problem.ow]);
  return { ic, ih, iw, strideH, strideW };
}

/** The shortcut alone, its result the residual of the convolution. */
export function shortcutConv(problem: ConvProblem, shortcut: ConvShortcut): ConvProblem {
  return {
    ...problem,
    ...shortcut,
    ...{ kh: 1, kw: 1, dilationH: 1, dilationW: 1, padTop: 0, padLeft: 0, padBottom: 0, padRight: 0 },
    epilogue: { bias: false, residual: false, activation: [] },
    ...{ gate: false, shortcut: undefined, planes: false },
  };
}

export interface ShortcutSplice {
  /** Bindings of `shortcutSrc` and `shortcutWeights`, where there is a shortcut. */
  readonly bindings: readonly PassBinding[];
  /** Declares `shortcut_src` and `shortcut_weights`. */
  readonly wgsl: string;
}

export function spliceShortcut({ shortcut }: ConvProblem, firstBinding: number): ShortcutSplice {
  if (shortcut === undefined) return { bindings: [], wgsl: '' };
  return {
    bindings: [
      { operand: 'shortcutSrc', access: 'read' },
      { operand: 'shortcutWeights', access: 'read' },
    ],
    wgsl: `@group(0) @binding(${firstBinding}) var<storage, read> shortcut_src: array<vec4f>;
@group(0) @binding(${firstBinding + 1}) var<storage, read> shortcut_weights: array<vec4f>;
`,
  };
}
