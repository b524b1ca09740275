/** ConvTranspose with volumes and every algorithm; takes the place of the definition in `conv-transpose.ts`. */
import {
  CONV_TRANSPOSE_ALGORITHMS,
  type Epilogue,
  makeVolumeConvTransposeProblem,
  PLAIN_EPILOGUE,
  selectVolumeConvTranspose,
  type VolumeConvTransposeProblem,
} from '@onegpu/kernels';
import type { LowerContext, Lowering, NodeContext, OperatorDefinition, ValueInfo } from '../op-definition.ts';
import { convOperands } from './conv.ts';
import { denseLayouts } from './conv-full.ts';
import { isVolume } from './conv-request.ts';
import { imageConvTranspose } from './conv-transpose.ts';
import { convTransposeRequestOf } from './conv-transpose-request.ts';
import { requireInput } from './host-input.ts';
import { kernelOptions, loweringOf } from './kernel-lowering.ts';

const image = imageConvTranspose(CONV_TRANSPOSE_ALGORITHMS);

export const FULL_CONV_TRANSPOSE_OPERATORS: readonly OperatorDefinition[] = [
  {
    ...image,
    infer: (context) => (isVolume(context) ? inferVolume(context) : image.infer(context)),
    layouts: (context, available) =>
      isVolume(context) ? denseLayouts(context) : image.layouts(context, available),
    lower: (context) => (isVolume(context) ? lowerVolume(context) : image.lower(context)),
  },
];

function inferVolume(context: NodeContext): readonly ValueInfo[] {
  const { dstDims } = volumeConvTransposeOf(context, PLAIN_EPILOGUE);
  return [{ type: requireInput(context, 0).type, dims: dstDims }];
}

export function volumeConvTransposeOf(
  context: NodeContext,
  epilogue: Pick<Epilogue, 'residual' | 'activation'>,
): VolumeConvTransposeProblem {
  return makeVolumeConvTransposeProblem(convTransposeRequestOf(context, epilogue));
}

function lowerVolume(context: LowerContext): Lowering {
  const problem = volumeConvTransposeOf(context, context);
  const selection = selectVolumeConvTranspose(problem, context.capabilities, kernelOptions(context));
  return loweringOf(context, selection, convOperands(context));
}
