/** A Conv node, and what fusion makes of one, as the kernels' request: its operands by position, its attributes, its refusals. */
import { type ConvRequest, type Epilogue, misfit } from '@onegpu/kernels/core';
import { extensionForNode } from '../extension.ts';
import { GATED_CONV, PLANAR_CONV, SHORTCUT_CONV, UPSAMPLE_SUM_CONV } from '../fused-operators.ts';
import { notBuilt } from '../not-built.ts';
import type { NodeContext, ValueInfo } from '../op-definition.ts';
import { optionalFloatInput } from './float-operands.ts';
import { readWindow } from './window-attributes.ts';

/** Position of the gate of a GatedConv. */
export const GATE = 3;

/** Positions of the second source of a ShortcutConv and of its weights. */
export const SHORTCUT = 3;
export const SHORTCUT_WEIGHTS = 4;

/** Positions of the coarser map of an UpsampleSumConv and of its scales. */
export const COARSE = 3;
export const SCALES = 4;

export function addsUpsampled(context: NodeContext): boolean {
  return context.node.opType === UPSAMPLE_SUM_CONV;
}

export function hasShortcut(context: NodeContext): boolean {
  return context.node.opType === SHORTCUT_CONV;
}

export function isGated(context: NodeContext): boolean {
  return context.node.opType === GATED_CONV;
}

export function isVolume(context: NodeContext): boolean {
  return context.inputs[0]?.dims.length === 5;
}

/** @throws NotBuiltError for volumes in the entry for browsers, and for what is no float */
export function refuseVolume(context: NodeContext): void {
  if (!isVolume(context)) return;
  for (const index of context.inputs.keys()) optionalFloatInput(context, index);
  extensionForNode(context.node.opType, 'X', 'three spatial axes');
}

export function convRequestOf(context: NodeContext, epilogue: Epilogue): Omit<ConvRequest, 'layout'> {
  const { attributes, inputs } = context;
  const src = floatInput(inputs[0], 'X');
  const weights = floatInput(inputs[1], 'W');
  if (src.dims.length > 5) {
    throw notBuilt('Conv', 'X', src.dims, 'at most three spatial axes');
  }
  const kernel = attributes.ints('kernel_shape');
  if (kernel !== undefined && String(kernel) !== String(weights.dims.slice(2))) {
    throw misfit('Conv', 'kernel_shape', kernel, `[${weights.dims.slice(2).join(', ')}], as the weights`);
  }
  const bias = inputs[2] && floatInput(inputs[2], 'B');
  if (bias !== undefined && (bias.dims.length !== 1 || bias.dims[0] !== weights.dims[0])) {
    throw misfit('Conv', 'B', bias.dims, `[${weights.dims[0]}]`);
  }
  return {
    src: src.dims,
    weights: weights.dims,
    groups: attributes.int('group', 1),
    ...readWindow(attributes),
    epilogue,
    gate: isGated(context),
    planes: context.node.opType === PLANAR_CONV,
    shortcut: hasShortcut(context)
      ? {
          src: floatInput(inputs[SHORTCUT], 'X2').dims,
          weights: floatInput(inputs[SHORTCUT_WEIGHTS], 'W2').dims,
          strides: attributes.ints('shortcut_strides'),
        }
      : undefined,
    weightsType: weights.type === 'float16' ? 'float16' : 'float32',
    weightsConstant: weights.constant !== undefined && (bias === undefined || bias.constant !== undefined),
  };
}

function floatInput(value: ValueInfo | undefined, field: string): ValueInfo {
  if (value === undefined) throw misfit('Conv', field, 'nothing', 'float32');
  if (value.type === 'float32' || value.type === 'float16') return value;
  throw notBuilt('Conv', field, value.type, 'float32 or float16');
}
