/** Plans of the depthwise kernel: as many groups as input and output channels, channels last. */
import { type DispatchPlan, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { DEPTHWISE_INVOCATIONS, type DepthwiseSpec, depthwiseWgsl, stripColumns } from './depthwise.wgsl.ts';
import { depthwisePacking } from './pack-weights.ts';
import {
  biasPacking,
  CONV_BINDINGS,
  convLabel,
  convParams,
  convPlan,
  needsConstantWeights,
  needsLayout,
} from './plan.ts';
import type { ConvProblem } from './problem.ts';

/** Divides the widths of ImageNet maps (7, 14, 28, ...) and wastes little of others. */
const STRIP_WIDTH = 7;
/** Beyond this a strip holds more columns than registers, and its unrolled text compiles slowly. */
const MOST_COLUMNS = 48;

export const depthwise: Algorithm<ConvProblem> = {
  name: 'depthwise',
  reject: () => undefined,
  impossible: (problem) =>
    needsOneChannelGroups(problem) ??
    needsLayout(problem, 'nhwc4') ??
    needsConstantWeights(problem) ??
    needsNarrowWindow(problem),
  plan: planDepthwise,
};

function needsOneChannelGroups({ groups, ic, oc }: ConvProblem): string | undefined {
  if (groups === ic && groups === oc) return undefined;
  return `${ic} to ${oc} channels in ${groups} groups is not one channel a group`;
}

function needsNarrowWindow({ kw, strideW, dilationW }: ConvProblem): string | undefined {
  const columns = stripColumns({ width: STRIP_WIDTH, kw, strideW, dilationW }).length;
  if (columns <= MOST_COLUMNS) return undefined;
  return `a strip of ${STRIP_WIDTH} outputs touches ${columns} columns, over ${MOST_COLUMNS}`;
}

function planDepthwise(problem: ConvProblem, target: GpuCapabilities): DispatchPlan {
  const { kh, kw, strideH, strideW, dilationH, dilationW } = problem;
  const quads = Math.ceil(problem.oc / 4);
  const epilogue = spliceEpilogue(problem.epilogue, 'vec4f', CONV_BINDINGS.length);
  const bindings = [...CONV_BINDINGS, ...epilogue.bindings];
  const spec: DepthwiseSpec = {
    width: STRIP_WIDTH,
    neighbours: target.software ? 'strips' : 'channels',
    ...{ kh, kw, strideH, strideW, dilationH, dilationW, quads },
    paramsBinding: bindings.length,
    epilogue: `${epilogue.wgsl}\n${maskLanesWgsl(problem.oc)}`,
  };
  const strips = problem.batch * problem.oh * Math.ceil(problem.ow / spec.width);
  // Whole subgroups of four strips, so that neighbours have the same channels.
  const rowBlocks = Math.ceil(strips / 4) * 4;
  const label = convLabel(problem, 'depthwise', `${kh}x${kw}`);
  const pass = {
    label,
    wgsl: depthwiseWgsl(spec),
    bindings,
    params: convParams(problem, { rowBlocks }),
    workgroups: foldWorkgroups(
      Math.ceil((rowBlocks * quads) / DEPTHWISE_INVOCATIONS),
      target.limits.maxComputeWorkgroupsPerDimension,
    ),
  };
  const packing = [depthwisePacking(problem), ...biasPacking(problem)];
  return convPlan(problem, { algorithm: 'depthwise', label, passes: [pass], packing });
}
