/** From a kernel's selection to a node's lowering, the same for every operator that has one plan. */
import type { KernelOptions, Layout, Selection } from '@onegpu/kernels/core';
import type { LayoutChoice, LowerContext, Lowering, NodeContext, OperandSource } from '../op-definition.ts';

/** Options a session gives every kernel. */
export function kernelOptions(context: LowerContext): KernelOptions {
  const { mode, algorithm } = context;
  return algorithm === undefined ? { mode } : { mode, algorithm };
}

type DispatchLowering = Extract<Lowering, { kind: 'dispatch' }>;

/** Operands beside `src` (input 0), `dst` (output 0) and the fused `residual` are the caller's to name. */
export function loweringOf(
  context: LowerContext,
  selection: Selection,
  operands: Readonly<Record<string, OperandSource>> = {},
): DispatchLowering {
  return {
    kind: 'dispatch',
    plan: selection.plan,
    operands: {
      src: { input: 0 },
      dst: { output: 0 },
      ...(context.residual ? { residual: { residual: true } } : {}),
      ...operands,
    },
    refused: selection.refused,
  };
}

/** Layout of the node's first input as the session decided it. */
export function srcLayout(context: LowerContext): Layout {
  return context.layouts.inputs[0] ?? 'nchw';
}

/** The first input and the output stay in the layout the input has already; every other input is `nchw`. */
export function followLayout(context: NodeContext, available: readonly Layout[]): LayoutChoice {
  const layout = available[0] ?? 'nchw';
  return {
    inputs: context.inputs.map((_, index) => (index === 0 ? layout : 'nchw')),
    outputs: [layout],
  };
}
