/**
 * The last step of quantised products: int32 sums to bytes.
 *
 *   dst = saturate(round(float32(sum + bias) * multiplier) + zero_point),  multiplier = src * weights / dst of the scales
 *
 * every operation rounded to float32, ties to even, the order onnxruntime's CPU has. Scales, zero point and bias are
 * operands that broadcast to the sums; channels last they are one number or one a channel.
 */
import type { DispatchPlan, GpuCapabilities, PassBinding } from '@onegpu/core';
import {
  type BroadcastAxis,
  broadcastFields,
  broadcastIndexWgsl,
  broadcastParams,
  mergeAxes,
} from '../shared/broadcast.ts';
import { paramsWgsl, paramsWords } from '../shared/elementwise.ts';
import { storedCount, storedWorkgroups, storingMain } from '../shared/four-a-word.ts';
import { elementCount, type Layout, layoutElements, paddedChannels } from '../shared/layout.ts';
import { type ByteType, saturatedWgsl } from '../shared/quantized-type.ts';
import { QUOTIENT_BITS } from '../shared/rounded-divide.wgsl.ts';

/** Dims of each operand, as they broadcast to the sums; undefined: it is not there. */
export interface RequantizeOperands {
  readonly srcScale: readonly number[];
  readonly weightsScale: readonly number[];
  readonly dstScale: readonly number[];
  readonly dstZeroPoint: readonly number[] | undefined;
  readonly bias: readonly number[] | undefined;
}

export interface RequantizeProblem {
  readonly dims: readonly number[];
  readonly layout: Layout;
  readonly type: ByteType;
  readonly operands: RequantizeOperands;
}

const NAMES = ['srcScale', 'weightsScale', 'dstScale', 'dstZeroPoint', 'bias'] as const;
const WGSL_NAMES: Readonly<Record<(typeof NAMES)[number], string>> = {
  srcScale: 'src_scale',
  weightsScale: 'weights_scale',
  dstScale: 'dst_scale',
  dstZeroPoint: 'dst_zero_point',
  bias: 'bias',
};

/** Operand of the sums, int32 in the problem's layout. */
export const SUMS = 'sums';

/** Operands `sums`, the scales, `dstZeroPoint` and `bias` where they are there, and `dst`. */
export function planRequantize(
  problem: RequantizeProblem,
  label: string,
  target: GpuCapabilities,
): Pick<DispatchPlan, 'passes' | 'scratch' | 'tables' | 'packing'> {
  const { dims, layout, operands } = problem;
  const total = layoutElements(dims, layout);
  const present = NAMES.filter((name) => operands[name] !== undefined);
  const channels = dims[1] ?? 1;
  const axes =
    layout === 'nchw'
      ? mergeAxes(
          dims,
          NAMES.map((name) => operands[name] ?? []),
        )
      : [];
  const words = layout === 'nchw' ? broadcastParams(axes) : [channels, paddedChannels(channels)];
  const bindings: PassBinding[] = [SUMS, ...present].map((operand) => ({ operand, access: 'read' }));
  return {
    passes: [
      {
        label: `${label}/requantize`,
        wgsl: requantizeWgsl(problem, axes, target),
        bindings: [...bindings, { operand: 'dst', access: 'read_write' }],
        params: paramsWords(storedCount(total, 4), [total, ...words]),
        workgroups: storedWorkgroups(total, 4, target),
      },
    ],
    scratch: [],
    tables: [],
    packing: [],
  };
}

function requantizeWgsl(
  { layout, operands, type }: RequantizeProblem,
  axes: readonly BroadcastAxis[],
  target: GpuCapabilities,
): string {
  const present = NAMES.filter((name) => operands[name] !== undefined);
  const integer = (name: string): boolean => name === 'dstZeroPoint' || name === 'bias';
  const declared = present.map(
    (name, index) =>
      `@group(0) @binding(${index + 1}) var<storage, read> ${WGSL_NAMES[name]}: array<${integer(name) ? 'i32' : 'f32'}>;`,
  );
  const read = (name: (typeof NAMES)[number]): string =>
    operands[name] === undefined ? '0' : `${WGSL_NAMES[name]}[${WGSL_NAMES[name]}_of(position)]`;
  const fields = layout === 'nchw' ? broadcastFields(axes) : ['channels: u32', 'stored_channels: u32'];
  const indices = NAMES.map((name, operand) =>
    layout === 'nchw'
      ? broadcastIndexWgsl(`${WGSL_NAMES[name]}_of`, axes, operand)
      : channelIndexWgsl(`${WGSL_NAMES[name]}_of`, operands[name] ?? []),
  );
  const padding = layout === 'nchw' ? 'false' : 'position % params.stored_channels >= params.channels';
  return `
@group(0) @binding(0) var<storage, read> sums: array<i32>;
${declared.join('\n')}
@group(0) @binding(${present.length + 1}) var<storage, read_write> dst: array<vec4i>;
${paramsWgsl(present.length + 2, ['total: u32', ...fields])}
${indices.join('\n')}
${QUOTIENT_BITS}
${saturatedWgsl(type)}
fn element(position: u32) -> i32 {
  if (${padding}) { return 0; }
  let product = ${read('srcScale')} * ${read('weightsScale')};
  let multiplier = quotient_bits(bitcast<u32>(product), bitcast<u32>(${read('dstScale')}));
  let number = f32(sums[position] + ${read('bias')}) * bitcast<f32>(multiplier);
  return saturated(bitcast<u32>(number), ${read('dstZeroPoint')});
}
${storingMain(4, target)}`;
}

/** Channels last: one number for all, or one a channel. */
function channelIndexWgsl(name: string, dims: readonly number[]): string {
  const index =
    elementCount(dims) === 1 ? '0u' : 'min(position % params.stored_channels, params.channels - 1u)';
  return `fn ${name}(position: u32) -> u32 { return ${index}; }`;
}
