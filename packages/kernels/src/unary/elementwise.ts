/** Plans of the one unary kernel: scalars in `nchw`, vec4 in `nhwc4`. */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { activationLabel } from '../shared/activation.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { elementwiseWorkgroups, itemsPerInvocation, paramsWords } from '../shared/elementwise.ts';
import { unaryWgsl } from './elementwise.wgsl.ts';
import type { UnaryProblem } from './problem.ts';

export const UNARY_ELEMENTWISE: Algorithm<UnaryProblem> = {
  name: 'elementwise',
  impossible: () => undefined,
  reject: () => undefined,
  plan,
};

function plan(problem: UnaryProblem, target: GpuCapabilities): DispatchPlan {
  const { layout, activation, maskedChannels, elements } = problem;
  const type = layout === 'nhwc4' ? 'vec4f' : 'f32';
  const count = layout === 'nhwc4' ? elements / 4 : elements;
  const label = `unary/elementwise/f32/${layout}/${activationLabel(activation) || 'identity'}`;
  return {
    operator: 'unary',
    algorithm: 'elementwise',
    label,
    passes: [
      {
        label,
        wgsl: unaryWgsl({ type, activation, maskedChannels, items: itemsPerInvocation(target) }),
        bindings: [
          { operand: 'src', access: 'read' },
          { operand: 'dst', access: 'read_write' },
        ],
        params: paramsWords(count),
        workgroups: elementwiseWorkgroups(count, target),
      },
    ],
    scratch: [],
    tables: [],
    packing: [],
    cost: { flops: elements * Math.max(1, activation.length), bytes: elements * 8 },
  };
}
