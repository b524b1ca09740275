/** Algorithm `channel-affine`: batch normalisation as three coefficients a channel, then one pass over the pixels. */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { channelAffineWgsl, channelCoefficientsWgsl } from './channel-affine.wgsl.ts';
import type { BatchNormProblem } from './problem.ts';

export const CHANNEL_AFFINE: Algorithm<BatchNormProblem> = {
  name: 'channel-affine',
  impossible: () => undefined,
  reject: () => undefined,
  plan: (problem, target) => planChannelAffine(problem, target),
};

function planChannelAffine(problem: BatchNormProblem, target: GpuCapabilities): DispatchPlan {
  const { layout, channels, storedChannels, plane, epsilon, dims } = problem;
  const lanes = layout === 'nhwc4' ? 4 : 1;
  const groups = Math.max(storedChannels / lanes, 1);
  const total = ((dims[0] ?? 0) * plane * storedChannels) / lanes;
  const label = `batch-norm/${CHANNEL_AFFINE.name}/f32/${layout}`;
  const read = (operand: string): { operand: string; access: 'read' } => ({ operand, access: 'read' });
  return {
    operator: 'batch-norm',
    algorithm: CHANNEL_AFFINE.name,
    label,
    passes: [
      {
        label: `${label}/coefficients`,
        wgsl: channelCoefficientsWgsl({
          channels,
          storedChannels,
          lanes,
          epsilon,
        }),
        bindings: [
          ...['scale', 'bias', 'mean', 'variance'].map(read),
          { operand: 'coefficients', access: 'read_write' },
        ],
        workgroups: flatWorkgroups(total === 0 ? 0 : storedChannels, target),
      },
      {
        label,
        wgsl: channelAffineWgsl({ groups, lanes }),
        bindings: [read('src'), read('coefficients'), { operand: 'dst', access: 'read_write' }],
        params: Uint32Array.of(total, lanes === 4 ? 1 : plane, 0, 0),
        workgroups: flatWorkgroups(total, target),
      },
    ],
    scratch: [{ operand: 'coefficients', bytes: Math.max(storedChannels * 12, 48) }],
    tables: [],
    packing: [],
    cost: { flops: 2 * total * lanes, bytes: 8 * total * lanes + 16 * channels },
  };
}
