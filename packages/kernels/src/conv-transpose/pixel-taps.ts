/**
 * `pixel-taps`: kernel = stride where a tiled product would mostly compute padding, because it has few columns
 * (heads of text detection: 24 to 24 channels, 24 to 1). One output channel may be written dense, `dstLayout` nchw:
 * a quarter of the bytes of nhwc4, and nothing left to convert where it is the model's result.
 */
import { foldWorkgroups } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { pixelShufflePacking } from './pack-weights.ts';
import { shuffleRefusal } from './pixel-shuffle.ts';
import { columnQuads, PIXELS, type PixelTapsSpec, pixelTapsWgsl, tapGroups } from './pixel-taps.wgsl.ts';
import type { ConvTransposeProblem } from './problem.ts';
import { biasPacking, convTransposeCost, convTransposeLabel, INVOCATIONS } from './spec.ts';

/** vec4 of columns that fit registers, for each pixel. */
const MOST_QUADS = 8;
/** Columns below which a tile of 64 is mostly padding, and terms below which its loop is mostly its ends. */
const FEW_COLUMNS = 16;
const FEW_TERMS = 64;

function specOf(problem: ConvTransposeProblem): PixelTapsSpec {
  const { ic, oc, vertical, horizontal, dstLayout, epilogue } = problem;
  return { ic, oc, kh: vertical.kernel, kw: horizontal.kernel, dstLayout, epilogue };
}

export const pixelTaps: Algorithm<ConvTransposeProblem> = {
  name: 'pixel-taps',
  impossible(problem) {
    const quads = columnQuads(specOf(problem));
    if (quads > MOST_QUADS) return `${quads} vec4 of columns do not fit registers`;
    return shuffleRefusal(problem);
  },
  reject(problem, target) {
    if (target.software && problem.dstLayout === problem.layout)
      return 'a register tile is as fast without workgroups';
    const spec = specOf(problem);
    const columns = 4 * columnQuads(spec) * tapGroups(spec);
    if (columns <= FEW_COLUMNS || problem.ic <= FEW_TERMS) return undefined;
    return `${columns} columns of ${problem.ic} terms fill the tiles of a product`;
  },
  plan(problem, target) {
    const spec = specOf(problem);
    const { batch, vertical, horizontal } = problem;
    const pixels = batch * vertical.input * horizontal.input;
    const label = convTransposeLabel(problem, 'pixel-taps', `${PIXELS}x${4 * columnQuads(spec)}`);
    const epilogue = spliceEpilogue(problem.epilogue, spec.dstLayout === 'nchw' ? 'f32' : 'vec4f', 3);
    return {
      operator: 'conv-transpose',
      algorithm: 'pixel-taps',
      label,
      passes: [
        {
          label,
          wgsl: pixelTapsWgsl(spec),
          bindings: [
            { operand: 'src', access: 'read' },
            { operand: 'weights', access: 'read' },
            { operand: 'dst', access: 'read_write' },
            ...epilogue.bindings,
          ],
          params: Uint32Array.of(horizontal.input, pixels, 0, 0),
          workgroups: foldWorkgroups(
            Math.ceil(pixels / (PIXELS * INVOCATIONS)) * tapGroups(spec),
            target.limits.maxComputeWorkgroupsPerDimension,
          ),
        },
      ],
      scratch: [],
      tables: epilogue.tables,
      packing: [pixelShufflePacking(problem), ...biasPacking(problem)],
      cost: convTransposeCost(problem),
    };
  },
};
