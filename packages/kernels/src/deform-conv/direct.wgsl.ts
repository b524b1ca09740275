/**
 * Direct deformable convolution: one invocation sums one output element from unpacked weights, for any groups and for
 * weights that are not constant. The terms k = (channel, tap) are summed in blocks of 256.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';
import { type SampleSpec, sampleWgsl } from './sample.wgsl.ts';

export interface DeformDirectSpec extends SampleSpec {
  /** WGSL of the epilogue for f32. */
  readonly epilogue: string;
}

export function deformDirectWgsl(spec: DeformDirectSpec): string {
  const { ic, oc, groups } = spec.problem.conv;
  return `// Deformable convolution. dst [batch, OC, oh, ow]
${FLAT_INDEX}
${sampleWgsl(spec)}
const OC = ${oc}u;
const IC_GROUP = ${ic / groups}u;
const OC_GROUP = ${oc / groups}u;
const TERMS = IC_GROUP * TAPS;
const BLOCKS = (TERMS + 255u) / 256u;
const BLOCK_TERMS = min(TERMS, 256u);

@group(0) @binding(1) var<storage, read> weights: array<f32>; // [OC, IC_GROUP, TAPS]
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;
${spec.epilogue}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  let pixels = params.oh * params.ow;
  let pixel = index % pixels;
  let channel = index / pixels % OC;
  let n = index / pixels / OC;
  if (n >= params.batch) { return; }
  let first = channel / OC_GROUP * IC_GROUP;
  var total = 0.0;
  for (var block = 0u; block < BLOCKS; block++) {
    var sum = 0.0;
    for (var j = 0u; j < BLOCK_TERMS; j++) {
      let k = block * 256u + j;
      if (k < TERMS) {
        let c = first + k / TAPS;
        let at = corners(n, c / OFFSET_CHANNELS, k % TAPS, pixel);
        sum = fma(sample((n * IC + c) * params.ih * params.iw, at), weights[channel * TERMS + k], sum);
      }
    }
    total += sum;
  }
  dst[index] = finish(total, channel, index);
}
`;
}
