/** Unary problems for tests and benchmarks: every function once, then shapes and layouts. */
import type { Activation } from '../shared/activation.ts';
import { makeUnaryProblem, type UnaryProblem } from './problem.ts';

export interface UnaryCase {
  readonly name: string;
  readonly problem: UnaryProblem;
}

/** Each function with constants that exporters write. */
export const UNARY_FUNCTIONS: readonly Activation[] = [
  { kind: 'relu' },
  { kind: 'clip', min: 0, max: 6 },
  { kind: 'clip', min: Number.NEGATIVE_INFINITY, max: 3 },
  { kind: 'clip', min: -2, max: Number.POSITIVE_INFINITY },
  { kind: 'leaky-relu', alpha: 0.01 },
  { kind: 'elu', alpha: 1 },
  { kind: 'selu', alpha: 1.6732631921768188, gamma: 1.0507010221481323 },
  { kind: 'celu', alpha: 1.5 },
  { kind: 'thresholded-relu', alpha: 1 },
  { kind: 'hard-sigmoid', alpha: 0.2, beta: 0.5 },
  { kind: 'shrink', lambda: 1.5, bias: 1.5 },
  { kind: 'affine', scale: 0.5, shift: -3 },
  { kind: 'power', exponent: 3 },
  { kind: 'power', exponent: -2.2 },
  ...(
    [
      'hard-swish',
      'softsign',
      'sigmoid',
      'silu',
      'tanh',
      'softplus',
      'gelu',
      'gelu-tanh',
      'mish',
      'erf',
      'exp',
      'log',
      'sqrt',
      'reciprocal',
      'abs',
      'neg',
      'floor',
      'ceil',
      'round',
      'sign',
      'sin',
      'cos',
      'tan',
      'asin',
      'acos',
      'atan',
      'sinh',
      'cosh',
      'asinh',
      'acosh',
      'atanh',
    ] as const
  ).map((kind) => ({ kind })),
];

const PLUS_ONE: readonly Activation[] = [{ kind: 'affine', scale: 2, shift: 1 }];

export const UNARY_CASES: readonly UnaryCase[] = [
  { name: 'identity', problem: makeUnaryProblem({ dims: [2, 3, 5], layout: 'nchw', activation: [] }) },
  { name: 'scalar', problem: makeUnaryProblem({ dims: [], layout: 'nchw', activation: PLUS_ONE }) },
  { name: 'empty', problem: makeUnaryProblem({ dims: [2, 0, 5], layout: 'nchw', activation: PLUS_ONE }) },
  ...[63, 511, 512, 513].map((count) => ({
    name: `around one workgroup: ${count}`,
    problem: makeUnaryProblem({ dims: [count], layout: 'nchw', activation: PLUS_ONE }),
  })),
  ...[1, 3, 4, 6, 8, 13].map((channels) => ({
    name: `channel groups: ${channels}`,
    problem: makeUnaryProblem({ dims: [2, channels, 7, 11], layout: 'nhwc4', activation: PLUS_ONE }),
  })),
  {
    name: 'a chain',
    problem: makeUnaryProblem({
      dims: [1, 6, 9, 13],
      layout: 'nhwc4',
      activation: [{ kind: 'relu' }, { kind: 'affine', scale: 3, shift: -1 }, { kind: 'abs' }],
    }),
  },
];
