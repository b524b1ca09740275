/** Second pass of split-k: adds the partial sums of each output in order, then applies the epilogue. */
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import { CONV_PARAMS_WGSL } from './plan.ts';

export const ADD_SPLITS_INVOCATIONS = 64;

export interface AddSplitsSpec {
  readonly splits: number;
  /** See `ImplicitGemmSpec`. */
  readonly rows: 'all' | 'range';
  /** vec4 of output channels. */
  readonly dstQuads: number;
  readonly paramsBinding: number;
  /** WGSL of the epilogue for vec4f, and of `mask_lanes`. */
  readonly epilogue: string;
}

export function addSplitsWgsl(spec: AddSplitsSpec): string {
  const at = spec.rows === 'range' ? 'params.row_begin * DST_QUADS + id' : 'id';
  return `// partial [SPLITS, rows, DST_QUADS], dst [all rows, DST_QUADS] of vec4f
${FOLDED_WORKGROUP}
${CONV_PARAMS_WGSL}
const SPLITS = ${spec.splits}u;
const DST_QUADS = ${spec.dstQuads}u;

@group(0) @binding(0) var<storage, read> partial_sums: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4f>;
@group(0) @binding(${spec.paramsBinding}) var<uniform> params: Params;
${spec.epilogue}

@compute @workgroup_size(${ADD_SPLITS_INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let id = folded_workgroup(workgroup, count) * ${ADD_SPLITS_INVOCATIONS}u + lane;
  let elements = params.rows * DST_QUADS;
  if (id >= elements) { return; }
  var sum = partial_sums[id];
  for (var split = 1u; split < SPLITS; split++) { sum = sum + partial_sums[split * elements + id]; }
  let at = ${at};
  dst[at] = mask_lanes(finish(sum, id % DST_QUADS, at), id % DST_QUADS);
}
`;
}
