/**
 * Direct convolution of volumes: one invocation sums one output voxel from unpacked weights, for any groups and for
 * weights that are not constant. The terms k = (channel, tap) are summed in blocks of 256.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';
import { type ParamsRecord, paramsStruct } from '../shared/params-block.ts';
import { type VolumeWindow, volumeWindowWgsl } from '../shared/volume.ts';

export interface VolumeDirectSpec {
  readonly problem: VolumeWindow & { readonly ic: number; readonly oc: number; readonly groups: number };
  /** Only the names go into the text. */
  readonly params: ParamsRecord;
  readonly paramsBinding: number;
  /** WGSL of the epilogue for f32. */
  readonly epilogue: string;
}

export function volumeDirectWgsl(spec: VolumeDirectSpec): string {
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
const TERMS = IC_GROUP * TAPS;
const BLOCKS = (TERMS + 255u) / 256u;
const BLOCK_TERMS = min(TERMS, 256u);

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>; // [oc, IC_GROUP, TAPS]
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;
@group(0) @binding(${spec.paramsBinding}) var<uniform> params: Params;
${spec.epilogue}

fn load_src(n: u32, c: u32, z: u32, y: u32, x: u32) -> f32 {
  let inside = (z < params.in_d) & (y < params.in_h) & (x < params.in_w);
  let index = (((n * IC + c) * params.in_d + z) * params.in_h + y) * params.in_w + x;
  return select(0.0, src[select(0u, index, inside)], inside);
}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  let voxels = params.out_d * params.out_h * params.out_w;
  let channel = index / voxels % OC;
  let n = index / voxels / OC;
  if (n >= params.batch) { return; }
  // Positions before the volume wrap round to large numbers, which lie outside as well.
  let front = index / params.out_w / params.out_h % params.out_d * STRIDE_D - params.pad_d;
  let top = index / params.out_w % params.out_h * STRIDE_H - params.pad_h;
  let left = index % params.out_w * STRIDE_W - params.pad_w;
  let first = channel / OC_GROUP * IC_GROUP;
  var total = 0.0;
  for (var block = 0u; block < BLOCKS; block++) {
    var sum = 0.0;
    for (var j = 0u; j < BLOCK_TERMS; j++) {
      let k = block * 256u + j;
      if (k < TERMS) {
        let z = front + k / (TAPS_W * TAPS_H) % TAPS_D * DILATION_D;
        let y = top + k / TAPS_W % TAPS_H * DILATION_H;
        let x = left + k % TAPS_W * DILATION_W;
        sum = fma(load_src(n, first + k / TAPS, z, y, x), weights[channel * TERMS + k], sum);
      }
    }
    total += sum;
  }
  dst[index] = finish(total, channel, index);
}
`;
}
