/**
 * First pass of im2col + GEMM over volumes: the taps of every output voxel as one row of a matrix,
 * columns[m, k] = src[voxel of m at the tap of k, channel of k], k = (tap, channel) with the channel running first.
 * Words are moved unread.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';
import { type ParamsRecord, paramsStruct } from '../shared/params-block.ts';
import { type VolumeWindow, volumeWindowWgsl } from '../shared/volume.ts';

export interface VolumeColumnsSpec {
  readonly problem: VolumeWindow & { readonly ic: number };
  /** Only the names go into the text. */
  readonly params: ParamsRecord;
}

export function volumeColumnsWgsl({ problem, params }: VolumeColumnsSpec): string {
  return `// src [batch, IC, depth, height, width], columns [rows, TERMS]
${FLAT_INDEX}
${paramsStruct(params)}
${volumeWindowWgsl(problem)}
const IC = ${problem.ic}u;
const TERMS = TAPS_D * TAPS_H * TAPS_W * IC;

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> columns: array<f32>;
@group(0) @binding(2) var<uniform> params: Params;

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  let row = index / TERMS;
  if (row >= params.rows) { return; }
  let m = params.row_begin + row;
  let tap = index % TERMS / IC;
  let channel = index % IC;
  let n = m / params.out_w / params.out_h / params.out_d;
  // Positions before the volume wrap round to large numbers, which lie outside as well.
  let z = m / params.out_w / params.out_h % params.out_d * STRIDE_D + tap / TAPS_W / TAPS_H * DILATION_D - params.pad_d;
  let y = m / params.out_w % params.out_h * STRIDE_H + tap / TAPS_W % TAPS_H * DILATION_H - params.pad_h;
  let x = m % params.out_w * STRIDE_W + tap % TAPS_W * DILATION_W - params.pad_w;
  let inside = (z < params.in_d) & (y < params.in_h) & (x < params.in_w);
  let at = (((n * IC + channel) * params.in_d + z) * params.in_h + y) * params.in_w + x;
  columns[index] = select(0.0, src[select(0u, at, inside)], inside);
}
`;
}
