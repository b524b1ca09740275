/**
 * First of two dispatches: a workgroup adds a slice of the pixels of a block of channels, and leaves what that adds to
 * every hidden sum.
 */
import {
  type BlockSpec,
  meanLines,
  shareLines,
  stageHead,
  stageMain,
  workgroupMemory,
} from './stages.wgsl.ts';

/** src [batch, pixels, SRC_QUADS] -> shares [batch, slices, SRC_BLOCKS, HIDDEN_QUADS] of the hidden sums. */
export function squeezeWgsl(spec: BlockSpec): string {
  return `${stageHead(spec)}
const SRC_BLOCKS = ${spec.srcBlocks}u;
@group(0) @binding(0) var<storage, read> src: array<vec4f>;
@group(0) @binding(1) var<storage, read> squeeze_weights: array<vec4f>; // [channels, HIDDEN_QUADS]
@group(0) @binding(2) var<storage, read_write> shares: array<vec4f>;
@group(0) @binding(3) var<uniform> params: Params;
${workgroupMemory(spec, spec.blockQuads)}

${stageMain(spec)} {
  let id = folded_workgroup(workgroup, count);
  let image = id / SRC_BLOCKS / params.slices;
  let begin = id / SRC_BLOCKS % params.slices * params.slice_pixels;
  let first = id % SRC_BLOCKS * ${spec.blockQuads}u;
  if (image >= params.batch) { return; }
  ${meanLines(spec, spec.blockQuads, {
    ...{ first: 'first', begin: 'begin' },
    pixels: 'min(params.slice_pixels, params.pixels - begin)',
  })}
  ${shareLines(spec, spec.blockQuads, 'first', 'shares[id * HIDDEN_QUADS + quad] = total;')}
}
`;
}
