/** Channel counts of Conv, ConvTranspose, their volumes and DeformConv. */
import { expectEqual, runPlan, testDevice } from '@onegpu/testing';
import { type ConvProblem, convTerms, makeConvProblem } from '../../src/conv/problem.ts';
import { exactConvAlgorithms } from '../../src/conv/select.ts';
import { type ConvTransposeProblem, makeConvTransposeProblem } from '../../src/conv-transpose/problem.ts';
import { CONV_TRANSPOSE_ALGORITHMS } from '../../src/conv-transpose/select.ts';
import { makeDeformConvProblem } from '../../src/deform-conv/problem.ts';
import { DEFORM_CONV_ALGORITHMS } from '../../src/deform-conv/select.ts';
import { referenceConv } from '../../src/reference/conv.ts';
import { convTransposeReference } from '../../src/reference/conv-transpose.ts';
import { referenceDeformConv } from '../../src/reference/deform-conv.ts';
import { referenceVolumeConv, referenceVolumeConvTranspose } from '../../src/reference/volume-conv.ts';
import type { Epilogue } from '../../src/shared/epilogue.ts';
import { elementCount, type Layout } from '../../src/shared/layout.ts';
import { makeVolumeConvProblem, volumeConvDstDims } from '../../src/volume-conv/problem.ts';
import { VOLUME_CONV_ALGORITHMS } from '../../src/volume-conv/select.ts';
import { makeVolumeConvTransposeProblem } from '../../src/volume-conv-transpose/problem.ts';
import { VOLUME_CONV_TRANSPOSE_ALGORITHMS } from '../../src/volume-conv-transpose/select.ts';
import { CONV_TWINS } from '../conv-twins.ts';
import { runInLayout } from '../run-in-layout.ts';
import { channelPairs, describeChannels, EQUAL_CHANNELS, smallIntegers } from './counts.ts';

const LAYOUTS: readonly Layout[] = ['nhwc4', 'nchw'];
/** Both operands of the epilogue that channels index. */
const ADDING: Epilogue = { bias: true, residual: true, activation: [] };
const isDepthwise = (name: string): boolean => name.startsWith('depthwise');
const EXACT_ALGORITHMS = [...exactConvAlgorithms, ...CONV_TWINS];
const CONV_ALGORITHMS = EXACT_ALGORITHMS.filter(({ bound }) => bound === undefined);

async function checkConv(problem: ConvProblem, plan: Parameters<typeof runInLayout>[0]): Promise<void> {
  const { batch, ic, ih, iw, oc, oh, ow, layout } = problem;
  const dstDims = [batch, oc, oh, ow];
  const src = { data: smallIntegers(batch * ic * ih * iw, 1), dims: [batch, ic, ih, iw] };
  const residual = { data: smallIntegers(elementCount(dstDims), 4), dims: dstDims };
  const parameters = { weights: smallIntegers(oc * convTerms(problem), 2), bias: smallIntegers(oc, 3) };
  const got = await runInLayout(plan, { layout, dstDims, inputs: { src, residual }, parameters });
  const operands = { ...parameters, src: src.data, residual: residual.data };
  expectEqual(got, referenceConv(problem, operands), dstDims);
}

describeChannels<ConvProblem>({
  name: 'Conv',
  algorithms: CONV_ALGORITHMS.filter(({ name }) => !isDepthwise(name)),
  pairs: channelPairs(),
  problems: (ic, oc) =>
    LAYOUTS.map((layout) =>
      makeConvProblem({
        ...{ src: [2, ic, 3, 2], weights: [oc, ic, 2, 1], pads: [0, 0, 1, 0] },
        ...{ layout, epilogue: ADDING, weightsConstant: true },
      }),
    ),
  check: checkConv,
  // The large tiles of hardware have small twins of the same text.
  every: {
    ...{ 'implicit-gemm': 0, 'split-k': 0, 'register-tile of own weights': 0 },
    ...{ 'implicit-gemm twin': 8, 'sliced twin of wide cells': 8, 'split-k twin': 8 },
  },
});

describeChannels<ConvProblem>({
  name: 'Conv by transformed products',
  algorithms: EXACT_ALGORITHMS.filter(({ bound }) => bound !== undefined),
  pairs: channelPairs(),
  problems: (ic, oc) => [
    makeConvProblem({
      ...{ src: [2, ic, 3, 2], weights: [oc, ic, 3, 3], pads: [1, 1, 1, 1] },
      ...{ layout: 'nhwc4', epilogue: ADDING, weightsConstant: true },
    }),
  ],
  check: checkConv,
  every: { 'winograd-2x2': 0, 'winograd-2x2 twin': 4 },
});

describeChannels<ConvProblem>({
  name: 'depthwise Conv',
  algorithms: CONV_ALGORITHMS.filter(({ name }) => isDepthwise(name)),
  pairs: EQUAL_CHANNELS,
  problems: (channels) => [
    makeConvProblem({
      ...{ src: [2, channels, 3, 4], weights: [channels, 1, 2, 3], pads: [1, 1, 0, 1], groups: channels },
      ...{ layout: 'nhwc4', epilogue: ADDING, weightsConstant: true },
    }),
  ],
  check: checkConv,
});

async function checkTransposed(
  problem: ConvTransposeProblem,
  plan: Parameters<typeof runInLayout>[0],
): Promise<void> {
  const { batch, ic, oc, groups, vertical, horizontal, layout, dstDims } = problem;
  const srcDims = [batch, ic, vertical.input, horizontal.input];
  const src = { data: smallIntegers(elementCount(srcDims), 1), dims: srcDims };
  const residual = { data: smallIntegers(elementCount(dstDims), 4), dims: dstDims };
  const weights = smallIntegers((ic * oc * vertical.kernel * horizontal.kernel) / groups, 2);
  const parameters = { weights, bias: smallIntegers(oc, 3) };
  const got = await runInLayout(plan, { layout, dstDims, inputs: { src, residual }, parameters });
  const operands = { ...parameters, src: src.data, residual: residual.data };
  expectEqual(got, convTransposeReference(problem, operands), dstDims);
}

describeChannels<ConvTransposeProblem>({
  name: 'ConvTranspose',
  algorithms: CONV_TRANSPOSE_ALGORITHMS,
  pairs: channelPairs(),
  problems: (ic, oc) =>
    LAYOUTS.map((layout) =>
      makeConvTransposeProblem({
        ...{ srcDims: [2, ic, 2, 1], weightsDims: [ic, oc, 1, 2], strides: [1, 2], biasDims: [oc] },
        ...{ layout, residual: true, weightsConstant: true },
      }),
    ),
  check: checkTransposed,
  every: {
    'pixel-taps': 8,
    'pixel-shuffle-tiled': 8,
    'pixel-shuffle': 8,
    'gemm-col2im': 8,
    gather: 8,
    direct: 2,
  },
});

describeChannels<ConvTransposeProblem>({
  name: 'depthwise ConvTranspose',
  algorithms: CONV_TRANSPOSE_ALGORITHMS.filter(({ name }) => name === 'gather'),
  pairs: EQUAL_CHANNELS.slice(1),
  problems: (channels) => [
    makeConvTransposeProblem({
      ...{ srcDims: [2, channels, 2, 3], weightsDims: [channels, 1, 2, 3], strides: [1, 2] },
      ...{ groups: channels, biasDims: [channels], layout: 'nhwc4', residual: true, weightsConstant: true },
    }),
  ],
  check: checkTransposed,
  every: { gather: 8 },
});

describeChannels({
  name: 'Conv over volumes',
  algorithms: VOLUME_CONV_ALGORITHMS,
  pairs: channelPairs(),
  problems: (ic, oc) => [
    makeVolumeConvProblem({
      ...{ src: [2, ic, 2, 1, 2], weights: [oc, ic, 2, 1, 1], pads: [0, 0, 0, 1, 0, 0] },
      ...{ epilogue: ADDING, weightsConstant: true },
    }),
  ],
  check: async (problem, plan) => {
    const { ic, oc } = problem;
    const dims = volumeConvDstDims(problem);
    const inputs = {
      src: smallIntegers(2 * ic * 4, 1),
      weights: smallIntegers(oc * ic * 2, 2),
      bias: smallIntegers(oc, 3),
      residual: smallIntegers(elementCount(dims), 4),
    };
    const { dst } = await runPlan(await testDevice(), plan, { inputs, outputs: { dst: elementCount(dims) } });
    expectEqual(dst, referenceVolumeConv(problem, inputs), dims);
  },
});

describeChannels({
  name: 'ConvTranspose over volumes',
  algorithms: VOLUME_CONV_TRANSPOSE_ALGORITHMS,
  pairs: channelPairs(),
  every: { 'volume-gemm-col2im': 8, 'volume-direct': 2 },
  problems: (ic, oc) => [
    makeVolumeConvTransposeProblem({
      ...{ srcDims: [2, ic, 2, 1, 1], weightsDims: [ic, oc, 1, 2, 1], strides: [2, 1, 1] },
      ...{ biasDims: [oc], residual: true },
    }),
  ],
  check: async (problem, plan) => {
    const { ic, oc, dstDims } = problem;
    const inputs = {
      src: smallIntegers(2 * ic * 2, 1),
      weights: smallIntegers(ic * oc * 2, 2),
      bias: smallIntegers(oc, 3),
      residual: smallIntegers(elementCount(dstDims), 4),
    };
    const outputs = { dst: elementCount(dstDims) };
    const { dst } = await runPlan(await testDevice(), plan, { inputs, outputs });
    expectEqual(dst, referenceVolumeConvTranspose(problem, inputs), dstDims);
  },
});

describeChannels({
  name: 'DeformConv',
  algorithms: DEFORM_CONV_ALGORITHMS,
  pairs: channelPairs(),
  problems: (ic, oc) => [
    makeDeformConvProblem({
      ...{ src: [2, ic, 2, 3], weights: [oc, ic, 1, 2], offset: [2, 4, 2, 2], mask: [2, 2, 2, 2] },
      ...{ epilogue: ADDING, weightsConstant: true },
    }),
  ],
  check: async (problem, plan) => {
    const { ic, oc, batch, oh, ow } = problem.conv;
    const dims = [batch, oc, oh, ow];
    const inputs = {
      src: smallIntegers(2 * ic * 6, 1),
      weights: smallIntegers(oc * ic * 2, 2),
      // Halves, so that samples between pixels are exact.
      offset: smallIntegers(2 * 4 * 4, 5).map((value) => value / 2),
      mask: smallIntegers(2 * 2 * 4, 6),
      bias: smallIntegers(oc, 3),
      residual: smallIntegers(elementCount(dims), 4),
    };
    const { dst } = await runPlan(await testDevice(), plan, { inputs, outputs: { dst: elementCount(dims) } });
    expectEqual(dst, referenceDeformConv(problem, inputs), dims);
  },
});
