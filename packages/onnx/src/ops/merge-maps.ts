/**
 * MergeMaps, which fusion makes (`onegpu` domain) of nearest Resize, Mul by factors of squeeze-excite, and the Concat or
 * Add behind them. Four inputs a part: X, its gate [N, C, 1, 1] or none, scales and sizes of Resize or none; the
 * attributes of Resize (opset 11 and later) hold for all parts that have either. `merge`: `concat` or `sum`.
 */
import {
  type MapPart,
  type MergeMapsProblem,
  makeMergeMapsProblem,
  makeResizeProblem,
  PLAIN_EPILOGUE,
  planMergeMaps,
  referenceMergeMaps,
} from '@onegpu/kernels';
import { MERGE_MAPS } from '../fused-operators.ts';
import type {
  LowerContext,
  Lowering,
  NodeContext,
  OperandSource,
  OperatorDefinition,
  ReferenceOutput,
} from '../op-definition.ts';
import { dispatchOf } from './gpu-operands.ts';
import { requireInput } from './host-input.ts';
import { kernelOptions } from './kernel-lowering.ts';
import { floatsOf, optionalFloatsOf, sums } from './reference.ts';
import { RESIZE_ATTRIBUTES, resizeProblemOf } from './resize.ts';

/** Inputs of a part. */
const INPUTS = 4;

const mergeMaps: OperatorDefinition = {
  opType: MERGE_MAPS,
  domain: 'onegpu',
  opsets: [11, 28],
  arity: [INPUTS, 2 ** 31 - 1],
  attributes: [...RESIZE_ATTRIBUTES, 'merge'],
  infer: (context) => [{ type: requireInput(context, 0).type, dims: problemOf(context).dstDims }],
  layouts: (context) => ({
    inputs: context.inputs.map((_, index) => (index % INPUTS < 2 ? 'nhwc4' : 'nchw')),
    outputs: ['nhwc4'],
  }),
  lower,
};

export const MERGE_MAPS_OPERATORS: readonly OperatorDefinition[] = [mergeMaps];

export function mergeMapsReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = problemOf(context);
  const operands = problem.parts.map((_, part) => ({
    src: floatsOf(context, INPUTS * part),
    gate: optionalFloatsOf(context, INPUTS * part + 1),
  }));
  return [sums(problem.dstDims, referenceMergeMaps(problem, operands), { terms: 2 })];
}

function lower(context: LowerContext): Lowering {
  const problem = problemOf(context);
  const operands: Record<string, OperandSource> = { dst: { output: 0 } };
  problem.parts.forEach(({ gated }, part) => {
    operands[`src${part}`] = { input: INPUTS * part };
    if (gated) operands[`gate${part}`] = { input: INPUTS * part + 1 };
  });
  return dispatchOf(planMergeMaps(problem, context.capabilities, kernelOptions(context)), operands);
}

function problemOf(context: NodeContext): MergeMapsProblem {
  const parts = Array.from({ length: context.inputs.length / INPUTS }, (_, part) => partOf(context, part));
  const merge = context.attributes.string('merge', 'concat') === 'sum' ? 'sum' : 'concat';
  return makeMergeMapsProblem({ merge, parts });
}

function partOf(context: NodeContext, part: number): MapPart {
  const [src, gate, scales, sizes] = context.inputs.slice(INPUTS * part, INPUTS * (part + 1));
  const dims = src?.dims ?? [];
  const resize =
    scales === undefined && sizes === undefined
      ? makeResizeProblem({ dims, scales: dims.map(() => 1) })
      : resizeProblemOf(
          { ...context, inputs: [src, undefined, scales, sizes] },
          { layout: 'nchw', epilogue: PLAIN_EPILOGUE },
        );
  return { resize, gated: gate !== undefined };
}
