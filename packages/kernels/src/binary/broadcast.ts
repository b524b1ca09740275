/** Plans of the one binary kernel; the merged axes make same-shape, scalar and per-channel cases short. */
import type { DispatchPlan, GpuCapabilities, OperandPacking } from '@onegpu/core';
import { activationLabel } from '../shared/activation.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { broadcastParams } from '../shared/broadcast.ts';
import { elementwiseWorkgroups, itemsPerInvocation, paramsWords } from '../shared/elementwise.ts';
import { elementCount, packNhwc4 } from '../shared/layout.ts';
import { binaryWgsl } from './broadcast.wgsl.ts';
import type { BinaryProblem, PlannedOperand } from './problem.ts';

export const BINARY_BROADCAST: Algorithm<BinaryProblem> = {
  name: 'broadcast',
  impossible: () => undefined,
  reject: () => undefined,
  plan,
};

function plan(problem: BinaryProblem, target: GpuCapabilities): DispatchPlan {
  const { layout, lhs, rhs, axes, elements } = problem;
  const count = layout === 'nhwc4' ? elements / 4 : elements;
  const channels = problem.dims[1] ?? 1;
  const label = ['binary/broadcast/f32', layout, [problem.function, activationLabel(problem.activation)]]
    .flat()
    .filter((part) => part !== '')
    .join('/');
  const wgsl = binaryWgsl({
    function: problem.function,
    type: layout === 'nhwc4' ? 'vec4f' : 'f32',
    activation: problem.activation,
    axes,
    repeatLane: [lhs.repeatLane, rhs.repeatLane],
    maskedChannels: layout === 'nhwc4' && channels % 4 !== 0 ? channels : 0,
    items: itemsPerInvocation(target),
  });
  return {
    operator: 'binary',
    algorithm: 'broadcast',
    label,
    passes: [
      {
        label,
        wgsl,
        bindings: [
          { operand: 'lhs', access: 'read' },
          { operand: 'rhs', access: 'read' },
          { operand: 'dst', access: 'read_write' },
        ],
        params: paramsWords(count, broadcastParams(axes)),
        workgroups: elementwiseWorkgroups(count, target),
      },
    ],
    scratch: [],
    tables: [],
    packing: [...packing('lhs', lhs), ...packing('rhs', rhs)],
    cost: {
      flops: elements * (1 + problem.activation.length),
      bytes: 4 * (elements + elementsOf(lhs) + elementsOf(rhs)),
    },
  };
}

function packing(operand: string, { packed, aligned }: PlannedOperand): readonly OperandPacking[] {
  if (!packed) return [];
  return [{ operand, key: `nhwc4:${aligned.join('x')}`, pack: (source) => packNhwc4(source, aligned) }];
}

function elementsOf({ dims }: PlannedOperand): number {
  return elementCount(dims);
}
