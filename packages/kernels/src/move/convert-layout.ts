/** Changing a tensor's layout between `nchw` and `nhwc4`, rank 2 and more; padding lanes become zero. */
import { type DispatchPlan, type GpuCapabilities, GpuKernelShapeError } from '@onegpu/core';
import { elementwiseWorkgroups, itemsPerInvocation, paramsWords } from '../shared/elementwise.ts';
import { elementCount, type Layout, layoutElements, paddedChannels } from '../shared/layout.ts';
import { packLayoutWgsl, unpackLayoutWgsl } from './convert-layout.wgsl.ts';

export interface ConvertLayoutProblem {
  /** [batch, channels, ...spatial]. */
  readonly dims: readonly number[];
  readonly to: Layout;
}

/** @throws GpuKernelShapeError below rank 2. */
export function makeConvertLayoutProblem(dims: readonly number[], to: Layout): ConvertLayoutProblem {
  if (dims.length >= 2) return { dims, to };
  throw new GpuKernelShapeError('the layout needs a channel axis', {
    subject: 'convert-layout',
    field: 'dims',
    got: `[${dims.join(', ')}]`,
    expected: 'rank 2 or more',
  });
}

/** Operands `src` and `dst`. */
export function planConvertLayout({ dims, to }: ConvertLayoutProblem, target: GpuCapabilities): DispatchPlan {
  const [batch = 1, channels = 1, ...spatial] = dims;
  const plane = elementCount(spatial);
  const groups = paddedChannels(channels) / 4;
  const count = batch * plane * groups;
  const items = itemsPerInvocation(target);
  const label = `convert-layout/planes/u32/${to}`;
  return {
    operator: 'convert-layout',
    algorithm: 'planes',
    label,
    passes: [
      {
        label,
        wgsl: to === 'nhwc4' ? packLayoutWgsl(items) : unpackLayoutWgsl(items),
        bindings: [
          { operand: 'src', access: 'read' },
          { operand: 'dst', access: 'read_write' },
        ],
        params: paramsWords(count, [channels, plane, groups]),
        workgroups: elementwiseWorkgroups(count, target),
      },
    ],
    scratch: [],
    tables: [],
    packing: [],
    cost: { flops: 0, bytes: 4 * (layoutElements(dims, 'nchw') + layoutElements(dims, 'nhwc4')) },
  };
}
