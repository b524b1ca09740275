/** A ConvTranspose node as the kernels' problem: its operands by position, its attributes, its refusals. */
import {
  type ConvTransposeProblem,
  type Epilogue,
  type Layout,
  makeConvTransposeProblem,
  misfit,
} from '@onegpu/kernels/core';
import type { AttributeReader } from '../attributes.ts';
import { notBuilt } from '../not-built.ts';
import type { NodeContext } from '../op-definition.ts';
import { floatInput, optionalFloatInput } from './float-operands.ts';
import { readWindow } from './window-attributes.ts';

type FusedSteps = Pick<Epilogue, 'residual' | 'activation'>;

/** Everything of the request but the layout; volumes leave `weightsConstant` unread. */
export function convTransposeRequestOf(context: NodeContext, epilogue: FusedSteps) {
  const { attributes } = context;
  const src = floatInput(context, 0);
  const weights = floatInput(context, 1);
  const bias = optionalFloatInput(context, 2);
  if (src.dims.length > 5) {
    throw notBuilt('ConvTranspose', 'X', src.dims, 'at most three spatial axes');
  }
  const kernel = attributes.ints('kernel_shape');
  if (kernel !== undefined && String(kernel) !== String(weights.dims.slice(2))) {
    throw misfit(
      `ConvTranspose "${context.node.name}"`,
      'kernel_shape',
      kernel,
      `[${weights.dims.slice(2).join(', ')}]`,
    );
  }
  return {
    srcDims: src.dims,
    weightsDims: weights.dims,
    biasDims: bias?.dims,
    groups: attributes.int('group', 1),
    ...readWindow(attributes),
    outputPadding: attributes.ints('output_padding'),
    outputShape: outputShape(attributes, src.dims.length),
    weightsConstant: weights.constant !== undefined && (bias === undefined || bias.constant !== undefined),
    residual: epilogue.residual,
    activation: epilogue.activation,
  };
}

/** Spatial extents; some exporters write batch and channels in front of them. */
function outputShape(attributes: AttributeReader, rank: number): readonly number[] | undefined {
  const shape = attributes.ints('output_shape');
  if (shape === undefined || shape.length === 0) return undefined;
  return shape.length === rank ? shape.slice(2) : shape;
}

/** Of one or two spatial axes. */
export function convTransposeProblemOf(
  context: NodeContext,
  layout: Layout,
  epilogue: FusedSteps,
  dstLayout = layout,
): ConvTransposeProblem {
  return makeConvTransposeProblem({ ...convTransposeRequestOf(context, epilogue), layout, dstLayout });
}
