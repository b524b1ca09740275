/**
 * Squeeze-excite in one dispatch: a workgroup takes a picture and makes means, hidden values and factors in turn, in
 * workgroup memory.
 */
import {
  type ExciteSpec,
  factorLines,
  factorWgsl,
  hiddenWgsl,
  meanLines,
  shareLines,
  stageHead,
  stageMain,
  stageQuads,
  workgroupMemory,
} from './stages.wgsl.ts';

/** src [batch, pixels, SRC_QUADS] -> dst [batch, DST_QUADS], one workgroup a picture. */
export function oneWorkgroupWgsl(spec: ExciteSpec): string {
  const { src, dst } = stageQuads(spec);
  return `${stageHead(spec)}
@group(0) @binding(0) var<storage, read> src: array<vec4f>;
@group(0) @binding(1) var<storage, read> squeeze_weights: array<vec4f>; // [channels, HIDDEN_QUADS]
@group(0) @binding(2) var<storage, read> squeeze_bias: array<vec4f>;
@group(0) @binding(3) var<storage, read> excite_weights: array<vec4f>; // [hidden, DST_QUADS]
@group(0) @binding(4) var<storage, read> excite_bias: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> dst: array<vec4f>;
@group(0) @binding(6) var<uniform> params: Params;
${workgroupMemory(spec, src)}
${hiddenWgsl(spec)}
${factorWgsl(spec)}

${stageMain(spec)} {
  let image = folded_workgroup(workgroup, count);
  if (image >= params.batch) { return; }
  ${meanLines(spec, src, { first: '0u', begin: '0u', pixels: 'params.pixels' })}
  ${shareLines(spec, src, '0u', 'keep_hidden(quad, total, squeeze_bias[quad]);')}
  ${factorLines(spec, dst, '0u')}
}
`;
}
