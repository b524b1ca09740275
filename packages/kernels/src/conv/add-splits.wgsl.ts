/** Second pass of split-k: adds the partial sums of each output in order, then applies the epilogue. */
import { type ParamsRecord, paramsStruct } from '../shared/params-block.ts';
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';

export const ADD_SPLITS_INVOCATIONS = 64;

export interface AddSplitsSpec {
  /** Those of the first pass; only the names go into the text. */
  readonly params: ParamsRecord;
  readonly paramsBinding: number;
  /** WGSL of the epilogue for vec4f, and of `mask_lanes`. */
  readonly epilogue: string;
}

export function addSplitsWgsl(spec: AddSplitsSpec): string {
  return `// partial [splits, rows, dst_quads], dst [all rows, dst_quads] of vec4f
${FOLDED_WORKGROUP}
${paramsStruct(spec.params)}

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
  let elements = params.rows * params.dst_quads;
  if (id >= elements) { return; }
  var sum = partial_sums[id];
  for (var split = 1u; split < params.splits; split++) { sum = sum + partial_sums[split * elements + id]; }
  let at = params.row_begin * params.dst_quads + id;
  dst[at] = mask_lanes(finish(sum, id % params.dst_quads, at), id % params.dst_quads);
}
`;
}
