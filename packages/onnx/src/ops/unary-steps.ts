/**
 * Which chain of activation steps each unary operator is, with its attributes and their defaults.
 * https://onnx.ai/onnx/operators/
 */
import type { Activation, SimpleActivation } from '@onegpu/kernels/core';
import type { AttributeReader } from '../attributes.ts';

export interface UnaryOperator {
  readonly opType: string;
  /** Opset that introduced the operator in the form meant here. */
  readonly since: number;
  readonly attributes: readonly string[];
  steps(attributes: AttributeReader): readonly Activation[];
}

const simple = (opType: string, since: number, kind: SimpleActivation): UnaryOperator => ({
  opType,
  since,
  attributes: since === 1 ? ['consumed_inputs'] : [],
  steps: () => [{ kind }],
});

const SIMPLE_OPERATORS: readonly UnaryOperator[] = [
  simple('Relu', 1, 'relu'),
  simple('Sigmoid', 1, 'sigmoid'),
  simple('Tanh', 1, 'tanh'),
  simple('Exp', 1, 'exp'),
  simple('Log', 1, 'log'),
  simple('Sqrt', 1, 'sqrt'),
  simple('Reciprocal', 1, 'reciprocal'),
  simple('Abs', 1, 'abs'),
  simple('Neg', 1, 'neg'),
  simple('Floor', 1, 'floor'),
  simple('Ceil', 1, 'ceil'),
  simple('Softplus', 1, 'softplus'),
  simple('Softsign', 1, 'softsign'),
  simple('Sin', 7, 'sin'),
  simple('Cos', 7, 'cos'),
  simple('Tan', 7, 'tan'),
  simple('Asin', 7, 'asin'),
  simple('Acos', 7, 'acos'),
  simple('Atan', 7, 'atan'),
  simple('Sinh', 9, 'sinh'),
  simple('Cosh', 9, 'cosh'),
  simple('Asinh', 9, 'asinh'),
  simple('Acosh', 9, 'acosh'),
  simple('Atanh', 9, 'atanh'),
  simple('Erf', 9, 'erf'),
  simple('Sign', 9, 'sign'),
  simple('Round', 11, 'round'),
  simple('HardSwish', 14, 'hard-swish'),
  simple('Mish', 18, 'mish'),
];

const PARAMETRIC_OPERATORS: readonly UnaryOperator[] = [
  {
    opType: 'LeakyRelu',
    since: 1,
    attributes: ['alpha', 'consumed_inputs'],
    steps: (read) => [{ kind: 'leaky-relu', alpha: read.float('alpha', 0.01) }],
  },
  {
    opType: 'Elu',
    since: 1,
    attributes: ['alpha', 'consumed_inputs'],
    steps: (read) => [{ kind: 'elu', alpha: read.float('alpha', 1) }],
  },
  {
    opType: 'Selu',
    since: 6,
    attributes: ['alpha', 'gamma'],
    steps: (read) => [
      {
        kind: 'selu',
        alpha: read.float('alpha', 1.6732631921768188),
        gamma: read.float('gamma', 1.0507010221481323),
      },
    ],
  },
  {
    opType: 'Celu',
    since: 12,
    attributes: ['alpha'],
    steps: (read) => [{ kind: 'celu', alpha: read.float('alpha', 1) }],
  },
  {
    opType: 'ThresholdedRelu',
    since: 10,
    attributes: ['alpha'],
    steps: (read) => [{ kind: 'thresholded-relu', alpha: read.float('alpha', 1) }],
  },
  {
    opType: 'HardSigmoid',
    since: 1,
    attributes: ['alpha', 'beta', 'consumed_inputs'],
    steps: (read) => [
      { kind: 'hard-sigmoid', alpha: read.float('alpha', 0.2), beta: read.float('beta', 0.5) },
    ],
  },
  {
    opType: 'Shrink',
    since: 9,
    attributes: ['lambd', 'bias'],
    steps: (read) => [{ kind: 'shrink', lambda: read.float('lambd', 0.5), bias: read.float('bias', 0) }],
  },
  {
    opType: 'Gelu',
    since: 20,
    attributes: ['approximate'],
    steps: (read) => [{ kind: read.string('approximate', 'none') === 'tanh' ? 'gelu-tanh' : 'gelu' }],
  },
  {
    opType: 'Swish',
    since: 24,
    attributes: ['alpha'],
    steps: (read) => swish(read.float('alpha', 1)),
  },
];

/** x sigmoid(alpha x), which is silu(alpha x) / alpha. */
function swish(alpha: number): readonly Activation[] {
  if (alpha === 1) return [{ kind: 'silu' }];
  if (alpha === 0) return [{ kind: 'affine', scale: 0.5, shift: 0 }];
  return [
    { kind: 'affine', scale: alpha, shift: 0 },
    { kind: 'silu' },
    { kind: 'affine', scale: 1 / alpha, shift: 0 },
  ];
}

export const UNARY_STEPS: readonly UnaryOperator[] = [...SIMPLE_OPERATORS, ...PARAMETRIC_OPERATORS];
