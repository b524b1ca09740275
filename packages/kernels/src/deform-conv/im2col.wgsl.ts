/**
 * First pass of im2col + GEMM of a deformable convolution: the sampled taps of every output pixel as one row of a matrix,
 * columns[m, k], k = (tap, channel) with the channel running first. An invocation finds the four corners of one tap once
 * and samples all channels of its offset group.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';
import { type SampleSpec, sampleWgsl } from './sample.wgsl.ts';

export interface DeformColumnsSpec extends SampleSpec {
  /** Binding of the columns. */
  readonly columnsBinding: number;
}

export function deformColumnsWgsl(spec: DeformColumnsSpec): string {
  return `// columns [rows, TAPS, IC]
${FLAT_INDEX}
${sampleWgsl(spec)}
@group(0) @binding(${spec.columnsBinding}) var<storage, read_write> columns: array<f32>;

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  let group = index % OFFSET_GROUPS;
  let tap = index / OFFSET_GROUPS % TAPS;
  let row = index / OFFSET_GROUPS / TAPS;
  if (row >= params.rows) { return; }
  let m = params.row_begin + row;
  let pixels = params.oh * params.ow;
  let n = m / pixels;
  let at = corners(n, group, tap, m % pixels);
  for (var j = 0u; j < OFFSET_CHANNELS; j++) {
    let c = group * OFFSET_CHANNELS + j;
    columns[(row * TAPS + tap) * IC + c] = sample((n * IC + c) * params.ih * params.iw, at);
  }
}
`;
}
