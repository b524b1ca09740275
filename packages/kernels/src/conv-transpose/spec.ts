/** What every transposed convolution compiles in, and the parameters and labels its passes share. */
import { type OperandPacking, type PlanCost, sameKind } from '@onegpu/core';
import { epilogueLabel } from '../shared/epilogue.ts';
import { layoutElements, paddedChannels } from '../shared/layout.ts';
import type { ConvTransposeProblem } from './problem.ts';

export const INVOCATIONS = 64;

/** Words of `struct Params` in `window.wgsl.ts`; `blocks` is the kernel's own. */
export function windowParams(problem: ConvTransposeProblem, blocks = 0): Uint32Array {
  const { batch, vertical, horizontal } = problem;
  return Uint32Array.of(
    batch,
    vertical.input,
    horizontal.input,
    vertical.output,
    horizontal.output,
    vertical.padBegin,
    horizontal.padBegin,
    blocks,
  );
}

/** Row name in timings: `conv-transpose/gather/f32/4x8/bias+relu`. */
export function convTransposeLabel(problem: ConvTransposeProblem, algorithm: string, tile: string): string {
  const parts = ['conv-transpose', algorithm, 'f32', tile, epilogueLabel(problem.epilogue)];
  return parts.filter((part) => part !== '').join('/');
}

export function tapCount(problem: ConvTransposeProblem): number {
  return problem.vertical.kernel * problem.horizontal.kernel;
}

export function convTransposeCost(problem: ConvTransposeProblem): PlanCost {
  const { batch, groups, ic, oc, vertical, horizontal, epilogue, dstLayout } = problem;
  const pixels = batch * vertical.input * horizontal.input;
  const products = ic * (oc / groups) * tapCount(problem);
  const stored = layoutElements([batch, oc, vertical.output, horizontal.output], dstLayout);
  return {
    flops: 2 * pixels * products,
    bytes: 4 * (pixels * ic + products + stored * (epilogue.residual ? 2 : 1)),
  };
}

/** Why kernels that read src as vec4 refuse a problem; undefined when they can take it. */
export function vectorRefusal(problem: ConvTransposeProblem): string | undefined {
  if (problem.layout !== 'nhwc4') return 'reads nhwc4 only';
  if (!problem.weightsConstant) return 'weights and bias must be constant to be packed';
  const { batch, ic, vertical, horizontal } = problem;
  return batch * ic * vertical.input * horizontal.input === 0 ? 'there are no terms to sum' : undefined;
}

/** Why kernels that write dst in the layout of src refuse a problem. */
export function sameLayoutRefusal({ layout, dstLayout }: ConvTransposeProblem): string | undefined {
  return layout === dstLayout ? undefined : `writes ${layout} only`;
}

/** `bias` padded to whole vec4. */
export function biasPacking({ epilogue, oc }: ConvTransposeProblem): readonly OperandPacking[] {
  if (!epilogue.bias || oc % 4 === 0) return [];
  return [
    {
      operand: 'bias',
      key: `pad4/${oc}`,
      pack: (source) => {
        const packed = sameKind(source, paddedChannels(oc));
        packed.set(source);
        return packed;
      },
    },
  ];
}
