/**
 * `gemm-col2im`: one product into scratch, then a pass that gathers. It multiplies nothing twice and takes weights
 * that are not constant (nchw); its scratch is taps * oc numbers a source pixel.
 *
 *   nchw   a product a group and image: scratch[oc * taps, pixels] = weights[k, oc * taps]^T * src[k, pixels]
 *   nhwc4  one product, constant weights, one group: scratch[pixels, taps * oc] = src[pixels, k] * weights[k, taps * oc]
 */
import { type DispatchPass, foldWorkgroups, type GpuCapabilities, type OperandPacking } from '@onegpu/core';
import { type GemmKernel, gemmPass } from '../gemm/plan.ts';
import { registerTileKernel } from '../gemm/register-tile.ts';
import type { GemmExtents, GemmSpec } from '../gemm/spec.ts';
import { tiledKernel, tiledRefusal } from '../gemm/tiled.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { layoutElements, paddedChannels } from '../shared/layout.ts';
import { col2imWgsl } from './col2im.wgsl.ts';
import { columnsPacking } from './pack-weights.ts';
import type { ConvTransposeProblem } from './problem.ts';
import {
  biasPacking,
  convTransposeCost,
  convTransposeLabel,
  INVOCATIONS,
  tapCount,
  vectorRefusal,
  windowParams,
} from './spec.ts';

/** Below this many input channels a group the product is all store and no sum. */
const FEWEST_CHANNELS = 16;

interface Product {
  readonly spec: GemmSpec;
  readonly extents: GemmExtents;
  /** Matrix of weights and of src that each product reads, [batch][2]. */
  readonly matrices: Uint32Array;
}

const PLAIN = { alpha: 1, beta: 1, addend: 'none', residual: false, activation: [] } as const;

function productOf(problem: ConvTransposeProblem): Product {
  const { batch, groups, ic, oc, vertical, horizontal } = problem;
  const pixels = vertical.input * horizontal.input;
  const taps = tapCount(problem);
  if (problem.layout === 'nhwc4') {
    const gemmK = paddedChannels(ic);
    const gemmN = taps * paddedChannels(oc);
    return {
      spec: { ...PLAIN, src: 'row-vec4', weights: 'row-vec4', dst: 'vec4f', gemmK, gemmN, batched: false },
      extents: { gemmM: batch * pixels, gemmN, gemmK, batch: 1 },
      matrices: new Uint32Array(0),
    };
  }
  const gemmK = ic / groups;
  const products = batch * groups;
  return {
    spec: { ...PLAIN, src: 'column', weights: 'row', dst: 'f32', gemmK, gemmN: undefined, batched: true },
    extents: { gemmM: (oc / groups) * taps, gemmN: pixels, gemmK, batch: products },
    matrices: Uint32Array.from({ length: 2 * products }, (_, i) =>
      i % 2 === 0 ? (i / 2) % groups : (i - 1) / 2,
    ),
  };
}

function scratchBytes({ extents }: Product): number {
  return 4 * extents.batch * extents.gemmM * extents.gemmN;
}

/** In nchw the weights are the product's left operand and src its right one. */
function renamed(pass: DispatchPass, problem: ConvTransposeProblem): DispatchPass {
  const swapped = problem.layout === 'nchw' ? { src: 'weights', weights: 'src' } : {};
  const names: Readonly<Record<string, string>> = { ...swapped, dst: 'scratch' };
  return {
    ...pass,
    bindings: pass.bindings.map(({ operand, access }) => ({ operand: names[operand] ?? operand, access })),
  };
}

function kernelFor(spec: GemmSpec, target: GpuCapabilities): GemmKernel {
  const barrierFree = target.software || tiledRefusal(target) !== undefined;
  return barrierFree ? registerTileKernel(spec) : tiledKernel(spec, target);
}

function col2imPass(problem: ConvTransposeProblem, label: string, target: GpuCapabilities): DispatchPass {
  const { layout, epilogue, dstDims } = problem;
  const type = layout === 'nchw' ? 'f32' : 'vec4f';
  const invocations = layoutElements(dstDims, layout) / (layout === 'nchw' ? 1 : 4);
  return {
    label,
    wgsl: col2imWgsl({ window: problem, epilogue, layout }),
    bindings: [
      { operand: 'scratch', access: 'read' },
      { operand: 'dst', access: 'read_write' },
      ...spliceEpilogue(epilogue, type, 2).bindings,
    ],
    params: windowParams(problem),
    workgroups: foldWorkgroups(
      Math.ceil(invocations / INVOCATIONS),
      target.limits.maxComputeWorkgroupsPerDimension,
    ),
  };
}

function packingOf(problem: ConvTransposeProblem): readonly OperandPacking[] {
  return problem.layout === 'nchw' ? [] : [columnsPacking(problem), ...biasPacking(problem)];
}

export const gemmCol2im: Algorithm<ConvTransposeProblem> = {
  name: 'gemm-col2im',
  impossible(problem, target) {
    const { layout, groups, ic, batch, vertical, horizontal } = problem;
    if (batch * ic * vertical.input * horizontal.input === 0) return 'there are no terms to sum';
    if (layout === 'nhwc4' && groups > 1) return 'the groups are not one product in nhwc4';
    const bytes = scratchBytes(productOf(problem));
    const { maxStorageBufferBindingSize, maxBufferSize } = target.limits;
    if (bytes > Math.min(maxStorageBufferBindingSize, maxBufferSize)) {
      return `needs ${bytes} bytes of scratch, maxStorageBufferBindingSize is ${maxStorageBufferBindingSize}`;
    }
    return layout === 'nhwc4' ? vectorRefusal(problem) : undefined;
  },
  reject({ ic, groups, layout }, target) {
    if (layout === 'nhwc4' && target.software) return 'gathering needs no scratch';
    return ic / groups < FEWEST_CHANNELS ? `${ic / groups} channels a group are too short a sum` : undefined;
  },
  plan(problem, target) {
    const product = productOf(problem);
    const kernel = kernelFor(product.spec, target);
    const label = convTransposeLabel(problem, 'gemm-col2im', kernel.tile);
    const first = gemmPass(product.extents, product.spec, kernel, { label: `${label}/gemm`, target });
    return {
      operator: 'conv-transpose',
      algorithm: 'gemm-col2im',
      label,
      passes: [renamed(first, problem), col2imPass(problem, label, target)],
      scratch: [{ operand: 'scratch', bytes: scratchBytes(product) }],
      tables: [
        ...(product.spec.batched ? [{ operand: 'matrices', data: product.matrices }] : []),
        ...spliceEpilogue(problem.epilogue, 'f32', 2).tables,
      ],
      packing: packingOf(problem),
      cost: convTransposeCost(problem),
    };
  },
};
