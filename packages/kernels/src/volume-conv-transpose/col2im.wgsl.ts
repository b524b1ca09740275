/**
 * Second pass of `volume-gemm-col2im`: every output voxel gathers the products of its taps, one number an invocation. A
 * row of taps is summed before it joins its plane, a plane before it joins the total.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';
import { type ParamsRecord, paramsStruct } from '../shared/params-block.ts';
import { type VolumeWindow, volumeWindowWgsl } from '../shared/volume.ts';
import { reachingTapsWgsl } from './reaching-taps.wgsl.ts';

export interface VolumeCol2imSpec {
  readonly problem: VolumeWindow & { readonly oc: number };
  /** Only the names go into the text. */
  readonly params: ParamsRecord;
  readonly paramsBinding: number;
  /** WGSL of the epilogue for f32. */
  readonly epilogue: string;
}

export function volumeCol2imWgsl(spec: VolumeCol2imSpec): string {
  return `// scratch [images, OC, taps, source voxels], dst [batch, OC, depth, height, width]
${FLAT_INDEX}
${paramsStruct(spec.params)}
${volumeWindowWgsl(spec.problem)}
const OC = ${spec.problem.oc}u;

@group(0) @binding(0) var<storage, read> scratch: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;
@group(0) @binding(${spec.paramsBinding}) var<uniform> params: Params;
${spec.epilogue}
${reachingTapsWgsl(spec.problem)}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  let channel = index / (params.out_d * params.out_h * params.out_w); // of all images
  if (channel >= params.batch * OC) { return; }
  let z = index / params.out_w / params.out_h % params.out_d + params.pad_d;
  let y = index / params.out_w % params.out_h + params.pad_h;
  let x = index % params.out_w + params.pad_w;
  var total = 0.0;
  for (var i = 0u; i < REACHING_D; i++) {
    let q = first_tap_d(z) + i * STEP_D;
    let iz = (z - q * DILATION_D) / STRIDE_D;
    if ((q >= TAPS_D) | (q * DILATION_D > z) | (iz >= params.in_d)) { continue; }
    var plane_sum = 0.0;
    for (var j = 0u; j < REACHING_H; j++) {
      let r = first_tap_h(y) + j * STEP_H;
      let iy = (y - r * DILATION_H) / STRIDE_H;
      if ((r >= TAPS_H) | (r * DILATION_H > y) | (iy >= params.in_h)) { continue; }
      var row_sum = 0.0;
      for (var k = 0u; k < REACHING_W; k++) {
        let s = first_tap_w(x) + k * STEP_W;
        let ix = (x - s * DILATION_W) / STRIDE_W;
        if ((s >= TAPS_W) | (s * DILATION_W > x) | (ix >= params.in_w)) { continue; }
        let tap = ((channel * TAPS_D + q) * TAPS_H + r) * TAPS_W + s;
        row_sum += scratch[((tap * params.in_d + iz) * params.in_h + iy) * params.in_w + ix];
      }
      plane_sum += row_sum;
    }
    total += plane_sum;
  }
  let at = params.dst_begin + index;
  dst[at] = finish(total, channel % OC, at);
}
`;
}
