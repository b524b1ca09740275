/**
 * Transposed convolution of volumes, one output voxel an invocation, for any groups and for weights that are not
 * constant. The terms of a tap are summed in blocks of 256, then taps by row and by plane.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';
import { type ParamsRecord, paramsStruct } from '../shared/params-block.ts';
import { type VolumeWindow, volumeWindowWgsl } from '../shared/volume.ts';
import { reachingTapsWgsl, sumReachingTaps } from './reaching-taps.wgsl.ts';

export interface VolumeTransposeSpec {
  readonly problem: VolumeWindow & { readonly ic: number; readonly oc: number; readonly groups: number };
  /** Only the names go into the text. */
  readonly params: ParamsRecord;
  readonly paramsBinding: number;
  /** WGSL of the epilogue for f32. */
  readonly epilogue: string;
}

export function volumeTransposeWgsl(spec: VolumeTransposeSpec): string {
  const { ic, oc, groups } = spec.problem;
  return `// src, dst: [batch, channels, depth, height, width]
${FLAT_INDEX}
${paramsStruct(spec.params)}
${volumeWindowWgsl(spec.problem)}
const IC = ${ic}u;
const OC = ${oc}u;
const IC_GROUP = ${ic / groups}u;
const OC_GROUP = ${oc / groups}u;
const TAPS = TAPS_D * TAPS_H * TAPS_W;
const BLOCKS = (IC_GROUP + 255u) / 256u;
const BLOCK_TERMS = min(IC_GROUP, 256u);

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>; // [ic, OC_GROUP, TAPS]
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;
@group(0) @binding(${spec.paramsBinding}) var<uniform> params: Params;
${spec.epilogue}
${reachingTapsWgsl(spec.problem)}

// Terms of one tap at source voxel \`at\` of the first channel of the group.
fn tap_sum(at: u32, voxels: u32, first: u32, column: u32, tap: u32) -> f32 {
  var total = 0.0;
  for (var block = 0u; block < BLOCKS; block++) {
    var sum = 0.0;
    for (var j = 0u; j < BLOCK_TERMS; j++) {
      let k = block * 256u + j;
      if (k < IC_GROUP) {
        sum = fma(src[at + k * voxels], weights[((first + k) * OC_GROUP + column) * TAPS + tap], sum);
      }
    }
    total += sum;
  }
  return total;
}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  let out_voxels = params.out_d * params.out_h * params.out_w;
  let channel = index / out_voxels % OC;
  let n = index / out_voxels / OC;
  if (n >= params.batch) { return; }
  let z = index / params.out_w / params.out_h % params.out_d + params.pad_d;
  let y = index / params.out_w % params.out_h + params.pad_h;
  let x = index % params.out_w + params.pad_w;
  let voxels = params.in_d * params.in_h * params.in_w;
  let first = channel / OC_GROUP * IC_GROUP;
  ${sumReachingTaps(`let at = (((n * IC + first) * params.in_d + iz) * params.in_h + iy) * params.in_w + ix;
        row_sum += tap_sum(at, voxels, first, channel % OC_GROUP, (q * TAPS_H + r) * TAPS_W + s);`)}
  dst[index] = finish(total, channel, index);
}
`;
}
