/**
 * Every way to run one layer: each algorithm of its operator that can take it on this device, forced by name, and the
 * one that a session would choose. An algorithm that refuses the layout a session runs in is tried in the other one.
 */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import {
  type Algorithm,
  CONV_TRANSPOSE_ALGORITHMS,
  type ConvProblem,
  type ConvTransposeProblem,
  convAlgorithms,
  type Epilogue,
  type Layout,
  makeConvProblem,
  makeConvTransposeProblem,
  type NumericMode,
  preferredConvTransposeLayout,
  type Refusal,
  selectConv,
  selectConvTranspose,
} from '@onegpu/kernels';
import { type ConvLayer, layerRequest } from '../shapes/conv-layer.ts';

/** Dims of a layer's operands as the API has them; `dst` is written, the others are read. */
export interface LayerDims {
  readonly src: readonly number[];
  readonly weights: readonly number[];
  readonly bias: readonly number[];
  readonly dst: readonly number[];
}

export interface LayerCandidate {
  readonly algorithm: string;
  /** Of `src` and `dst`. */
  readonly layout: Layout;
  readonly plan: DispatchPlan;
}

export interface LayerChoices {
  readonly dims: LayerDims;
  /** Layout a session would run the layer in. */
  readonly layout: Layout;
  /** Algorithm a session would choose there. */
  readonly chosen: string;
  readonly candidates: readonly LayerCandidate[];
  readonly refused: readonly Refusal[];
}

export interface LayerSetting {
  readonly batch: number;
  readonly mode: NumericMode;
  readonly target: GpuCapabilities;
}

/** What a layer inside a network ends with once BatchNormalization is folded: a bias and a ReLU. */
const EPILOGUE: Epilogue = { bias: true, residual: false, activation: [{ kind: 'relu' }] };

export function layerChoices(layer: ConvLayer, setting: LayerSetting): LayerChoices {
  return layer.transposed === true ? transposedChoices(layer, setting) : convChoices(layer, setting);
}

function convChoices(layer: ConvLayer, setting: LayerSetting): LayerChoices {
  const { batch, target, mode } = setting;
  const make = (layout: Layout): ConvProblem =>
    makeConvProblem(layerRequest(layer, { batch, layout, epilogue: EPILOGUE }));
  const { src, weights } = layerRequest(layer, { batch, layout: 'nhwc4', epilogue: EPILOGUE });
  const { oc, oh, ow } = make('nhwc4');
  return {
    dims: { src, weights, bias: [oc], dst: [batch, oc, oh, ow] },
    layout: 'nhwc4',
    chosen: selectConv(make('nhwc4'), target, { mode }).algorithm,
    ...candidatesOf({ algorithms: convAlgorithms, make, layout: 'nhwc4', setting }),
  };
}

function transposedChoices(layer: ConvLayer, setting: LayerSetting): LayerChoices {
  const { ic, size, oc, kernel, stride, groups = 1 } = layer;
  const src = [setting.batch, ic, size, size];
  const weights = [ic, oc / groups, kernel, kernel];
  const make = (layout: Layout): ConvTransposeProblem =>
    makeConvTransposeProblem({
      ...{ srcDims: src, weightsDims: weights, biasDims: [oc], groups, layout },
      strides: [stride, stride],
      weightsConstant: true,
      activation: EPILOGUE.activation,
    });
  const { target, mode } = setting;
  const layout = preferredConvTransposeLayout(make('nhwc4'), target, CONV_TRANSPOSE_ALGORITHMS);
  return {
    dims: { src, weights, bias: [oc], dst: make(layout).dstDims },
    layout,
    chosen: selectConvTranspose(make(layout), target, { mode }).algorithm,
    ...candidatesOf({ algorithms: CONV_TRANSPOSE_ALGORITHMS, make, layout, setting }),
  };
}

interface Family<Problem> {
  readonly algorithms: readonly Algorithm<Problem>[];
  readonly make: (layout: Layout) => Problem;
  readonly layout: Layout;
  readonly setting: LayerSetting;
}

function candidatesOf<Problem>({
  algorithms,
  make,
  layout,
  setting: { target, mode },
}: Family<Problem>): Pick<LayerChoices, 'candidates' | 'refused'> {
  const candidates: LayerCandidate[] = [];
  const refused: Refusal[] = [];
  const layouts: readonly Layout[] = layout === 'nhwc4' ? ['nhwc4', 'nchw'] : ['nchw', 'nhwc4'];
  for (const algorithm of algorithms) {
    const { name } = algorithm;
    const taken = layouts.find((entry) => algorithm.impossible(make(entry), target) === undefined);
    if (taken === undefined) {
      refused.push({ algorithm: name, reason: algorithm.impossible(make(layout), target) ?? '' });
      continue;
    }
    const plan = algorithm.plan(make(taken), target, { mode, algorithm: name });
    candidates.push({ algorithm: name, layout: taken, plan });
  }
  return { candidates, refused };
}
