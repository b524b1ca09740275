/** `gather`: no workgroup memory and no scratch; every output sums the taps of its phase. */
import { foldWorkgroups } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { type GatherSpec, gatherWgsl } from './gather.wgsl.ts';
import { gatherPacking } from './pack-weights.ts';
import type { ConvTransposeProblem } from './problem.ts';
import {
  biasPacking,
  convTransposeCost,
  convTransposeLabel,
  INVOCATIONS,
  sameLayoutRefusal,
  vectorRefusal,
  windowParams,
} from './spec.ts';

const ROWS = 4;

function isDepthwise({ groups, ic, oc }: ConvTransposeProblem): boolean {
  return groups > 1 && ic === groups && oc === groups;
}

function gatherSpec(problem: ConvTransposeProblem): GatherSpec {
  const { groups, oc, epilogue } = problem;
  const quadsAGroup = Math.ceil(oc / groups / 4);
  const depthwise = isDepthwise(problem);
  return {
    window: problem,
    epilogue,
    tile: { rows: ROWS, columns: !depthwise && quadsAGroup % 2 === 0 ? 2 : 1 },
    channels: depthwise ? 'depthwise' : 'dense',
  };
}

export const gather: Algorithm<ConvTransposeProblem> = {
  name: 'gather',
  impossible(problem) {
    const { groups, ic, oc } = problem;
    const whole = (ic / groups) % 4 === 0 && (oc / groups) % 4 === 0;
    if (groups > 1 && !whole && !isDepthwise(problem)) return 'channels of a group are not whole vec4';
    return vectorRefusal(problem) ?? sameLayoutRefusal(problem);
  },
  reject: () => undefined,
  plan(problem, target) {
    const spec = gatherSpec(problem);
    const { rows, columns } = spec.tile;
    const { batch, oc, vertical, horizontal, epilogue } = problem;
    const label = convTransposeLabel(problem, 'gather', `${rows}x${4 * columns}`);
    // Of the phases of a row the first is the longest.
    const blocks = Math.ceil(Math.ceil(horizontal.output / horizontal.stride) / rows);
    const strips = batch * vertical.output * horizontal.stride * blocks;
    const invocations = (strips * Math.ceil(oc / 4)) / columns;
    return {
      operator: 'conv-transpose',
      algorithm: 'gather',
      label,
      passes: [
        {
          label,
          wgsl: gatherWgsl(spec),
          bindings: [
            { operand: 'src', access: 'read' },
            { operand: 'weights', access: 'read' },
            { operand: 'dst', access: 'read_write' },
            ...spliceEpilogue(epilogue, 'vec4f', 3).bindings,
          ],
          params: windowParams(problem, blocks),
          workgroups: foldWorkgroups(
            Math.ceil(invocations / INVOCATIONS),
            target.limits.maxComputeWorkgroupsPerDimension,
          ),
        },
      ],
      scratch: [],
      tables: spliceEpilogue(epilogue, 'vec4f', 3).tables,
      packing: [gatherPacking(problem), ...biasPacking(problem)],
      cost: convTransposeCost(problem),
    };
  },
};
