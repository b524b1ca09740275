/** Plans of the depthwise kernel of strips: as many groups as input and output channels, channels last. */
import { type DispatchPlan, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { type ParamsRecord, paramsBlock } from '../shared/params-block.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { DEPTHWISE_INVOCATIONS, type DepthwiseSpec, depthwiseWgsl, stripColumns } from './depthwise.wgsl.ts';
import { needsNoGate } from './gate.ts';
import { depthwisePacking } from './pack-weights.ts';
import {
  biasPacking,
  CONV_BINDINGS,
  convLabel,
  convPlan,
  needsConstantWeights,
  needsLayout,
} from './plan.ts';
import { type ConvProblem, needsWholeResidual } from './problem.ts';
import { weightsLoad } from './weights-stream.wgsl.ts';

/** Divides the widths of ImageNet maps (7, 14, 28, ...) and wastes little of others. */
const STRIP_WIDTH = 7;
/** Beyond this a strip holds more columns than registers, and its unrolled text compiles slowly. */
const MOST_COLUMNS = 48;

export const depthwise: Algorithm<ConvProblem> = {
  name: 'depthwise',
  reject: () => undefined,
  impossible: (problem) =>
    needsNoGate(problem) ??
    needsWholeResidual(problem) ??
    needsOneChannelGroups(problem) ??
    needsLayout(problem, 'nhwc4') ??
    needsConstantWeights(problem) ??
    needsNarrowWindow(problem),
  plan: planDepthwise,
};

/** Reason against kernels of one channel a group. */
export function needsOneChannelGroups({ groups, ic, oc }: ConvProblem): string | undefined {
  if (groups === ic && groups === oc) return undefined;
  return `${ic} to ${oc} channels in ${groups} groups is not one channel a group`;
}

function needsNarrowWindow({ kw, strideW, dilationW }: ConvProblem): string | undefined {
  const columns = stripColumns({ width: STRIP_WIDTH, kw, strideW, dilationW }).length;
  if (columns <= MOST_COLUMNS) return undefined;
  return `a strip of ${STRIP_WIDTH} outputs touches ${columns} columns, over ${MOST_COLUMNS}`;
}

function planDepthwise(problem: ConvProblem, target: GpuCapabilities): DispatchPlan {
  const { kh, kw, strideW, dilationW, oc } = problem;
  const quads = Math.ceil(oc / 4);
  const epilogue = spliceEpilogue(problem.epilogue, 'vec4f', CONV_BINDINGS.length);
  const bindings = [...CONV_BINDINGS, ...epilogue.bindings];
  const strips = problem.batch * problem.oh * Math.ceil(problem.ow / STRIP_WIDTH);
  // Whole subgroups of four strips, so that neighbours have the same channels.
  const rowBlocks = Math.ceil(strips / 4) * 4;
  const params = depthwiseParams(problem, rowBlocks);
  const spec: DepthwiseSpec = {
    ...{ width: STRIP_WIDTH, kw, strideW, dilationW, params },
    neighbours: target.software ? 'strips' : 'channels',
    weightsLoad: weightsLoad(target),
    paramsBinding: bindings.length,
    epilogue: `${epilogue.wgsl}\n${maskLanesWgsl('params.oc')}`,
  };
  const label = convLabel(problem, 'depthwise', `${kh}x${kw}`);
  const count = Math.ceil((rowBlocks * quads) / DEPTHWISE_INVOCATIONS);
  const pass = {
    ...{ label, wgsl: depthwiseWgsl(spec), bindings, params: paramsBlock(params) },
    workgroups: foldWorkgroups(count, target.limits.maxComputeWorkgroupsPerDimension),
  };
  const packing = [depthwisePacking(problem), ...biasPacking(problem)];
  const { tables } = epilogue;
  return convPlan(problem, { algorithm: 'depthwise', label, passes: [pass], packing, tables });
}

function depthwiseParams(problem: ConvProblem, rowBlocks: number): ParamsRecord {
  const { batch, ih, iw, oh, ow, oc, kh } = problem;
  return {
    ...{ batch, ih, iw, oh, ow, kh, oc, quads: Math.ceil(oc / 4), row_blocks: rowBlocks },
    ...{ pad_top: problem.padTop, pad_left: problem.padLeft },
    ...{ stride_h: problem.strideH, dilation_h: problem.dilationH },
  };
}
