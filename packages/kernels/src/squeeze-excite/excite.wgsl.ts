/**
 * Second of two dispatches: a workgroup adds the shares of every hidden sum and makes a block of factors, whose
 * weights it loads before it adds, for a load takes as long as the adding.
 */
import {
  type BlockSpec,
  earlyFactorLines,
  factorWgsl,
  hiddenWgsl,
  stageHead,
  stageMain,
  stageQuads,
  workgroupMemory,
} from './stages.wgsl.ts';
import { spreadOf, sumLines } from './workgroup-sums.wgsl.ts';

/** shares [batch, slices, SRC_BLOCKS, HIDDEN_QUADS] -> dst [batch, DST_QUADS]. */
export function exciteWgsl(spec: BlockSpec): string {
  const { hidden, dst } = stageQuads(spec);
  const factors = earlyFactorLines(spec, spec.blockQuads, 'first');
  return `${stageHead(spec)}
const SRC_BLOCKS = ${spec.srcBlocks}u;
const DST_BLOCKS = ${Math.ceil(dst / spec.blockQuads)}u;
@group(0) @binding(0) var<storage, read> shares: array<vec4f>;
@group(0) @binding(1) var<storage, read> squeeze_bias: array<vec4f>;
@group(0) @binding(2) var<storage, read> excite_weights: array<vec4f>; // [hidden, DST_QUADS]
@group(0) @binding(3) var<storage, read> excite_bias: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> dst: array<vec4f>;
@group(0) @binding(5) var<uniform> params: Params;
${workgroupMemory(spec, 1)}
${hiddenWgsl(spec)}
${factorWgsl(spec)}

${stageMain(spec)} {
  let id = folded_workgroup(workgroup, count);
  let image = id / DST_BLOCKS;
  let first = id % DST_BLOCKS * ${spec.blockQuads}u;
  if (image >= params.batch) { return; }
  ${factors.load}
  let hidden_bias = squeeze_bias[local % HIDDEN_QUADS];
  ${sumLines({
    spread: spreadOf(hidden, spec.invocations),
    terms: 'params.slices * SRC_BLOCKS',
    load: 'shares[(image * params.slices * SRC_BLOCKS + k) * HIDDEN_QUADS + quad]',
    add: 'block + term',
    finish: 'keep_hidden(quad, total, hidden_bias);',
  })}
  ${factors.add}
}
`;
}
