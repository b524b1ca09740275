/**
 * Reads a node as a function of one value applied to each element: the unary operators, Clip, and arithmetic with
 * a scalar constant (an affine step). Float32 only, and no shape arithmetic, which the host evaluates; a type
 * that cannot be told counts as another type.
 */
import type { Activation } from '@onegpu/kernels/core';
import { AttributeReader } from '../attributes.ts';
import type { GraphNode } from '../graph.ts';
import { UNARY_STEPS, type UnaryOperator } from '../ops/unary-steps.ts';
import type { GraphRewriter } from './rewriter.ts';
import { isOperator } from './rewriter.ts';

export interface UnaryNode {
  /** The value the function is applied to. */
  readonly input: string;
  readonly steps: readonly Activation[];
}

const FUNCTIONS: ReadonlyMap<string, UnaryOperator> = new Map(
  UNARY_STEPS.map((operator) => [operator.opType, operator]),
);

/** The finite float32 range, which opset 6 to 10 of Clip have as default bounds: no bound. */
const LARGEST_FLOAT = 3.4028234663852886e38;

/** Domain and operator of a node that is a chain of activation steps: `epilogue.activation` of its one input. */
export const ACTIVATION_DOMAIN = 'onegpu';
export const ACTIVATION_OPERATOR = 'Activation';

export function isActivationNode(node: GraphNode): boolean {
  return node.domain === ACTIVATION_DOMAIN && node.opType === ACTIVATION_OPERATOR;
}

/** The function a node computes; undefined when it is no function of one float32 value. */
export function readUnary(rewriter: GraphRewriter, node: GraphNode): UnaryNode | undefined {
  if (node.epilogue.residual !== '' || node.outputs.length !== 1) return undefined;
  const own = isActivationNode(node) ? { input: node.inputs[0] ?? '', steps: [] } : readOwn(rewriter, node);
  if (own === undefined || rewriter.facts.type(own.input) !== 'float32') return undefined;
  if (rewriter.facts.isShapeArithmetic(own.input)) return undefined;
  return { input: own.input, steps: [...own.steps, ...node.epilogue.activation] };
}

function readOwn(rewriter: GraphRewriter, node: GraphNode): UnaryNode | undefined {
  if (node.domain !== '' && node.domain !== 'ai.onnx') return undefined;
  if (isOperator(node, 'Add', 'Sub', 'Mul', 'Div', 'Min', 'Max')) return readScalarArithmetic(rewriter, node);
  const steps = isOperator(node, 'Clip')
    ? readClip(rewriter, node)
    : FUNCTIONS.get(node.opType)?.steps(new AttributeReader(node));
  return steps === undefined ? undefined : { input: node.inputs[0] ?? '', steps };
}

/** Bounds are attributes up to opset 10 and inputs, here constants, from 11 on. */
function readClip(rewriter: GraphRewriter, node: GraphNode): readonly Activation[] | undefined {
  const attributes = new AttributeReader(node);
  const bound = (index: number, name: string, none: number): number | undefined => {
    const input = node.inputs[index] ?? '';
    return input === '' ? attributes.float(name, none) : rewriter.scalar(input);
  };
  const min = bound(1, 'min', Number.NEGATIVE_INFINITY);
  const max = bound(2, 'max', Number.POSITIVE_INFINITY);
  if (min === undefined || max === undefined || !(min <= max)) return undefined;
  const lower = min <= -LARGEST_FLOAT ? Number.NEGATIVE_INFINITY : min;
  return [{ kind: 'clip', min: lower, max: max >= LARGEST_FLOAT ? Number.POSITIVE_INFINITY : max }];
}

function readScalarArithmetic(rewriter: GraphRewriter, node: GraphNode): UnaryNode | undefined {
  const [left = '', right = ''] = node.inputs;
  if (node.inputs.length !== 2) return undefined;
  const scalarRight = scalarBeside(rewriter, left, right);
  if (scalarRight !== undefined) {
    const step = stepWithRight(node.opType, scalarRight);
    return step === undefined ? undefined : { input: left, steps: [step] };
  }
  const scalarLeft = scalarBeside(rewriter, right, left);
  if (scalarLeft === undefined) return undefined;
  const steps = stepsWithLeft(node.opType, scalarLeft);
  return steps === undefined ? undefined : { input: right, steps };
}

/** The finite scalar constant `name`, when broadcasting against `other` keeps the dims of `other`. */
function scalarBeside(rewriter: GraphRewriter, other: string, name: string): number | undefined {
  const value = rewriter.scalar(name);
  if (value === undefined || !Number.isFinite(value) || rewriter.constant(other) !== undefined)
    return undefined;
  const rank = rewriter.constant(name)?.dims.length ?? 0;
  return rank === 0 || rank <= (rewriter.facts.rank(other) ?? 0) ? value : undefined;
}

/** x op c. A division becomes a multiplication by 1/c, exact when c is a power of two. */
function stepWithRight(opType: string, c: number): Activation | undefined {
  switch (opType) {
    case 'Add':
      return { kind: 'affine', scale: 1, shift: c };
    case 'Sub':
      return { kind: 'affine', scale: 1, shift: -c };
    case 'Mul':
      return { kind: 'affine', scale: c, shift: 0 };
    case 'Div':
      return Number.isFinite(Math.fround(1 / c)) ? { kind: 'affine', scale: 1 / c, shift: 0 } : undefined;
    case 'Min':
      return { kind: 'clip', min: Number.NEGATIVE_INFINITY, max: c };
    case 'Max':
      return { kind: 'clip', min: c, max: Number.POSITIVE_INFINITY };
    default:
      return undefined;
  }
}

/** c op x. */
function stepsWithLeft(opType: string, c: number): readonly Activation[] | undefined {
  if (opType === 'Sub') return [{ kind: 'affine', scale: -1, shift: c }];
  if (opType === 'Div') return c === 1 ? [{ kind: 'reciprocal' }] : undefined;
  const step = stepWithRight(opType, c);
  return step === undefined ? undefined : [step];
}
