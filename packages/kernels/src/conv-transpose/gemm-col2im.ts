/**
 * `gemm-col2im`: one product into scratch, then a pass that gathers. It multiplies nothing twice and takes weights
 * that are not constant (nchw); its scratch is taps * oc numbers a source pixel,
 * of all images at once or of as many as fit what is given.
 *
 *   nchw   a product a group and image: scratch[oc * taps, pixels] = weights[k, oc * taps]^T * src[k, pixels]
 *   nhwc4  one product, constant weights, one group: scratch[pixels, taps * oc] = src[pixels, k] * weights[k, taps * oc]
 */
import {
  type DispatchPass,
  type DispatchPlan,
  foldWorkgroups,
  type GpuCapabilities,
  type OperandPacking,
  type PlanTable,
} from '@onegpu/core';
import { type GemmKernel, gemmPass } from '../gemm/plan.ts';
import { registerTileKernel } from '../gemm/register-tile.ts';
import type { GemmExtents, GemmSpec } from '../gemm/spec.ts';
import { tiledKernel, tiledRefusal } from '../gemm/tiled.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { layoutElements, paddedChannels } from '../shared/layout.ts';
import { chunkRanges, scratchChunks } from '../shared/scratch-chunks.ts';
import { col2imWgsl } from './col2im.wgsl.ts';
import { columnsPacking } from './pack-weights.ts';
import type { ConvTransposeProblem } from './problem.ts';
import {
  biasPacking,
  convTransposeCost,
  convTransposeLabel,
  INVOCATIONS,
  sameLayoutRefusal,
  tapCount,
  vectorRefusal,
  windowParams,
} from './spec.ts';

/** Below this many input channels a group the product is all store and no sum. */
const FEWEST_CHANNELS = 16;

export interface ImageRange {
  readonly begin: number;
  readonly count: number;
}

interface Product {
  readonly spec: GemmSpec;
  readonly extents: GemmExtents;
  /** Matrix of weights and of src that each product reads, [batch][2]. */
  readonly matrices: Uint32Array;
}

const PLAIN = { alpha: 1, beta: 1, addend: 'none', residual: false, activation: [] } as const;

/** The product over all images, or over a range of them. */
function productOf(problem: ConvTransposeProblem, images?: ImageRange): Product {
  const { batch, groups, ic, oc, vertical, horizontal } = problem;
  const { begin, count } = images ?? { begin: 0, count: batch };
  const pixels = vertical.input * horizontal.input;
  const taps = tapCount(problem);
  if (problem.layout === 'nhwc4') {
    const gemmK = paddedChannels(ic);
    const gemmN = taps * paddedChannels(oc);
    const batched = images !== undefined;
    return {
      spec: { ...PLAIN, src: 'row-vec4', weights: 'row-vec4', dst: 'vec4f', gemmK, gemmN, batched },
      extents: batched
        ? { gemmM: pixels, gemmN, gemmK, batch: count }
        : { gemmM: batch * pixels, gemmN, gemmK, batch: 1 },
      matrices: batched ? pairs(count, (image) => [begin + image, 0]) : new Uint32Array(0),
    };
  }
  const gemmK = ic / groups;
  return {
    spec: { ...PLAIN, src: 'column', weights: 'row', dst: 'f32', gemmK, gemmN: undefined, batched: true },
    extents: { gemmM: (oc / groups) * taps, gemmN: pixels, gemmK, batch: count * groups },
    matrices: pairs(count * groups, (product) => [product % groups, begin * groups + product]),
  };
}

function pairs(count: number, pair: (index: number) => readonly [number, number]): Uint32Array {
  return Uint32Array.from(Array.from({ length: count }, (_, index) => pair(index)).flat());
}

function scratchBytes({ extents }: Product): number {
  return 4 * extents.batch * extents.gemmM * extents.gemmN;
}

/** In nchw the weights are the product's left operand and src its right one; every product has matrices of its own. */
function renamed(pass: DispatchPass, problem: ConvTransposeProblem, matrices: string): DispatchPass {
  const swapped = problem.layout === 'nchw' ? { src: 'weights', weights: 'src' } : {};
  const names: Readonly<Record<string, string>> = { ...swapped, dst: 'scratch', matrices };
  return {
    ...pass,
    bindings: pass.bindings.map(({ operand, access }) => ({ operand: names[operand] ?? operand, access })),
  };
}

function kernelFor(spec: GemmSpec, target: GpuCapabilities): GemmKernel {
  const barrierFree = target.software || tiledRefusal(target) !== undefined;
  return barrierFree ? registerTileKernel(spec) : tiledKernel(spec, target);
}

function col2imPass(
  problem: ConvTransposeProblem,
  label: string,
  { target, images }: { target: GpuCapabilities; images: ImageRange | undefined },
): DispatchPass {
  const { layout, epilogue, dstDims } = problem;
  const type = layout === 'nchw' ? 'f32' : 'vec4f';
  const elements = layoutElements([1, ...dstDims.slice(1)], layout) / (layout === 'nchw' ? 1 : 4);
  const count = images?.count ?? problem.batch;
  return {
    label,
    wgsl: col2imWgsl({ window: problem, epilogue, layout, images: images === undefined ? 'all' : 'range' }),
    bindings: [
      { operand: 'scratch', access: 'read' },
      { operand: 'dst', access: 'read_write' },
      ...spliceEpilogue(epilogue, type, 2).bindings,
    ],
    params: windowParams({ ...problem, batch: count }, (images?.begin ?? 0) * elements),
    workgroups: foldWorkgroups(
      Math.ceil((count * elements) / INVOCATIONS),
      target.limits.maxComputeWorkgroupsPerDimension,
    ),
  };
}

function packingOf(problem: ConvTransposeProblem): readonly OperandPacking[] {
  return problem.layout === 'nchw' ? [] : [columnsPacking(problem), ...biasPacking(problem)];
}

export const gemmCol2im: Algorithm<ConvTransposeProblem> = {
  name: 'gemm-col2im',
  impossible: (problem, target) => sameLayoutRefusal(problem) ?? productRefusal(problem, target),
  reject: productRejection,
  plan: (problem, target, options) =>
    planProducts(problem, target, {
      ...{ name: 'gemm-col2im', scratchBytes: options.scratchBytes },
      gather: (label, images) => col2imPass(problem, label, { target, images }),
    }),
};

/** Why a problem cannot be a product and a gathering pass. */
export function productRefusal(problem: ConvTransposeProblem, target: GpuCapabilities): string | undefined {
  const { layout, groups, ic, batch, vertical, horizontal } = problem;
  if (batch * ic * vertical.input * horizontal.input === 0) return 'there are no terms to sum';
  if (layout === 'nhwc4' && groups > 1) return 'the groups are not one product in nhwc4';
  const bytes = scratchBytes(productOf(problem));
  const { maxStorageBufferBindingSize, maxBufferSize } = target.limits;
  if (bytes > Math.min(maxStorageBufferBindingSize, maxBufferSize)) {
    return `needs ${bytes} bytes of scratch, maxStorageBufferBindingSize is ${maxStorageBufferBindingSize}`;
  }
  return layout === 'nhwc4' ? vectorRefusal(problem) : undefined;
}

/** Why it should not be one. */
export function productRejection(
  { ic, groups, layout }: Pick<ConvTransposeProblem, 'ic' | 'groups' | 'layout'>,
  target: GpuCapabilities,
): string | undefined {
  if (layout === 'nhwc4' && target.software) return 'gathering needs no scratch';
  return ic / groups < FEWEST_CHANNELS ? `${ic / groups} channels a group are too short a sum` : undefined;
}

export interface ProductParts {
  readonly name: string;
  readonly scratchBytes: number | undefined;
  /** The pass that gathers from the products of some images; undefined: of all. */
  gather(label: string, images: ImageRange | undefined): DispatchPass;
}

/**
 * Products into scratch and a gathering pass, by as many images as the scratch holds. The windows are read for their
 * source pixels and number of taps alone, so that volumes bring theirs as taller pictures and windows.
 * @throws GpuKernelShapeError where the scratch does not hold one image
 */
export function planProducts(
  problem: ConvTransposeProblem,
  target: GpuCapabilities,
  { name, scratchBytes: given, gather }: ProductParts,
): DispatchPlan {
  const kernel = kernelFor(productOf(problem).spec, target);
  const label = convTransposeLabel(problem, name, kernel.tile);
  const least = scratchBytes(productOf(problem)) / problem.batch;
  const { size, bytes } = scratchChunks({
    ...{ label, units: problem.batch, unitBytes: least, given },
    most: target.limits.maxStorageBufferBindingSize,
  });
  const chunks = size === problem.batch ? [undefined] : chunkRanges(problem.batch, size);
  const parts = chunks.map((images) => {
    const { pass, tables } = productPass(problem, target, { label, images });
    return { passes: [pass, gather(label, images)], tables };
  });
  return {
    ...{ operator: 'conv-transpose', algorithm: name, label },
    passes: parts.flatMap(({ passes }) => passes),
    scratch: [{ operand: 'scratch', bytes, least }],
    tables: [...parts.flatMap(({ tables }) => tables), ...spliceEpilogue(problem.epilogue, 'f32', 2).tables],
    packing: packingOf(problem),
    cost: convTransposeCost(problem),
  };
}

/** The product of some images into scratch. */
function productPass(
  problem: ConvTransposeProblem,
  target: GpuCapabilities,
  { label, images }: { label: string; images: ImageRange | undefined },
): { pass: DispatchPass; tables: PlanTable[] } {
  const { spec, extents, matrices } = productOf(problem, images);
  const product = gemmPass(extents, spec, kernelFor(spec, target), { label: `${label}/gemm`, target });
  const table = images === undefined ? 'matrices' : `matrices${images.begin}`;
  return {
    pass: renamed(product, problem, table),
    tables: spec.batched ? [{ operand: table, data: matrices }] : [],
  };
}
