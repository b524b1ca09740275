/** ConvTranspose in float64, volumes among them. */
import {
  convTransposeReference,
  convTransposeSum,
  PLAIN_EPILOGUE,
  referenceVolumeConvTranspose,
  volumeConvTransposeSum,
} from '@onegpu/kernels';
import type { NodeContext, ReferenceOutput } from '../op-definition.ts';
import { isVolume } from './conv-request.ts';
import { volumeConvTransposeOf } from './conv-transpose-full.ts';
import { convTransposeProblemOf } from './conv-transpose-request.ts';
import { floatsOf, optionalFloatsOf, squares, sums, walkOf } from './reference.ts';

export function convTransposeReferenceOf(context: NodeContext): readonly ReferenceOutput[] {
  const operands = {
    src: floatsOf(context, 0),
    weights: floatsOf(context, 1),
    bias: optionalFloatsOf(context, 2),
  };
  const squared = {
    src: squares(operands.src),
    weights: squares(operands.weights),
    bias: squares(operands.bias),
  };
  if (isVolume(context)) {
    const volume = volumeConvTransposeOf(context, PLAIN_EPILOGUE);
    const values = referenceVolumeConvTranspose(volume, operands);
    const walk = (): number => walkOf(referenceVolumeConvTranspose(volume, squared));
    return [sums(volume.dstDims, values, volumeConvTransposeSum(volume), walk)];
  }
  const problem = convTransposeProblemOf(context, 'nchw', PLAIN_EPILOGUE);
  const values = convTransposeReference(problem, operands);
  const walk = (): number => walkOf(convTransposeReference(problem, squared));
  return [sums(problem.dstDims, values, convTransposeSum(problem), walk)];
}
