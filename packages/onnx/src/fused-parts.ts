/**
 * What a step computes beyond the operator it is named after: what passes folded into its window and weights, and
 * its epilogue. In the order the parts apply: `pad`, `affine` (scale and shift in the weights: BatchNormalization,
 * Mul and Add by constants), `pointwise` (a second 1x1 convolution in the weights), `bias`, `residual`, activations.
 */
import type { ExecutionStep } from './execution-plan.ts';
import type { Fusion } from './passes/index.ts';
import { ACTIVATION_DOMAIN, ACTIVATION_OPERATOR } from './passes/read-unary.ts';

/** Parts that leave no trace in the epilogue, by the pass that folded them in; in the order they apply. */
const FOLDED_BY: readonly (readonly [pass: string, part: string])[] = [
  ['pad-into-window', 'pad'],
  ['fold-channel-affine', 'affine'],
  ['merge-pointwise', 'pointwise'],
  ['transpose-pairs', 'transpose'],
  ['reshape-pairs', 'reshape'],
  ['gate-into-conv', 'gate'],
  ['expand-into-depthwise', 'expand'],
  ['shortcut-into-conv', 'shortcut'],
  ['planes-into-conv', 'planes'],
  ['excite-of-map', 'excite'],
  ['merge-maps', 'merge'],
  ['upsample-into-conv', 'upsample'],
  ['pair-transposed', 'pair'],
];

/** @param fusions all that fusion did to the model */
export function fusedParts(step: ExecutionStep, fusions: readonly Fusion[]): readonly string[] {
  const { node } = step;
  if (node === undefined) return [];
  const covered = new Set(step.covers);
  const passes = new Set(
    fusions
      .filter(({ operator, covers }) => operator === node.opType && covers.every((name) => covered.has(name)))
      .map((fusion) => fusion.pass),
  );
  const folded = FOLDED_BY.flatMap(([pass, part]) => (passes.has(pass) ? [part] : []));
  const operands = ['bias', 'residual'].filter((operand) => operand in step.operands);
  const steps = node.epilogue.activation.map((activation) => activation.kind);
  // An Activation node is its own first step.
  const isChain = node.domain === ACTIVATION_DOMAIN && node.opType === ACTIVATION_OPERATOR;
  return [...folded, ...operands, ...(isChain ? steps.slice(1) : steps)];
}
