/**
 * Second pass of `volume-gemm-col2im`: every output voxel gathers the products of its taps, one number an invocation. A
 * row of taps is summed before it joins its plane, a plane before it joins the total.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';
import { type ParamsRecord, paramsStruct } from '../shared/params-block.ts';
import { type VolumeWindow, volumeWindowWgsl } from '../shared/volume.ts';
import { reachingTapsWgsl, sumReachingTaps } from './reaching-taps.wgsl.ts';

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
  ${sumReachingTaps(`let tap = ((channel * TAPS_D + q) * TAPS_H + r) * TAPS_W + s;
        row_sum += scratch[((tap * params.in_d + iz) * params.in_h + iy) * params.in_w + ix];`)}
  let at = params.dst_begin + index;
  dst[at] = finish(total, channel % OC, at);
}
`;
}
