/**
 * Unary functions in float64, the definition the kernels are measured against. Constants of a step are float32
 * values, as the kernels hold them; nothing else is rounded.
 */
import type { Activation, SimpleActivation } from '../shared/activation.ts';

/** The chain's value at x, each step in float64. */
export function applyActivation(steps: readonly Activation[], x: number): number {
  return steps.reduce((value, step) => applyStep(step, value), x);
}

function applyStep(step: Activation, x: number): number {
  const f = Math.fround;
  switch (step.kind) {
    case 'clip':
      return Math.min(Math.max(x, f(step.min)), f(step.max));
    case 'leaky-relu':
      return x < 0 ? f(step.alpha) * x : x;
    case 'elu':
      return x < 0 ? f(step.alpha) * Math.expm1(x) : x;
    case 'selu':
      return f(step.gamma) * (x < 0 ? f(step.alpha) * Math.expm1(x) : x);
    case 'celu':
      return x < 0 ? f(step.alpha) * Math.expm1(x / f(step.alpha)) : x;
    case 'thresholded-relu':
      return x > f(step.alpha) ? x : 0;
    case 'hard-sigmoid':
      return Math.min(Math.max(f(step.alpha) * x + f(step.beta), 0), 1);
    case 'shrink':
      if (x < -f(step.lambda)) return x + f(step.bias);
      return x > f(step.lambda) ? x - f(step.bias) : 0;
    case 'power':
      return x === 1 ? 1 : x ** f(step.exponent);
    case 'affine':
      return f(step.scale) * x + f(step.shift);
    default:
      return FUNCTIONS[step.kind](x);
  }
}

const FUNCTIONS: Readonly<Record<SimpleActivation, (x: number) => number>> = {
  relu: (x) => Math.max(x, 0),
  sigmoid: (x) => 1 / (1 + Math.exp(-x)),
  silu: (x) => (x === Number.NEGATIVE_INFINITY ? 0 : x / (1 + Math.exp(-x))),
  tanh: Math.tanh,
  'hard-swish': (x) => (x * Math.min(Math.max(x + 3, 0), 6)) / 6,
  softplus: (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))),
  softsign: (x) => (Math.abs(x) === Number.POSITIVE_INFINITY ? Math.sign(x) : x / (1 + Math.abs(x))),
  gelu: (x) => (x === Number.NEGATIVE_INFINITY ? 0 : 0.5 * x * complementaryErf(-x * Math.SQRT1_2)),
  'gelu-tanh': geluTanh,
  mish,
  erf: errorFunction,
  exp: Math.exp,
  log: Math.log,
  sqrt: Math.sqrt,
  abs: Math.abs,
  neg: (x) => -x,
  floor: Math.floor,
  ceil: Math.ceil,
  round: roundHalfEven,
  sign: Math.sign,
  reciprocal: (x) => 1 / x,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
};

/** Nearest integer, halves to the even one. */
export function roundHalfEven(x: number): number {
  const below = Math.floor(x);
  const part = x - below;
  if (part === 0.5) return below % 2 === 0 ? below : below + 1;
  return part < 0.5 ? below : below + 1;
}

function geluTanh(x: number): number {
  const w = 2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3);
  return w < -700 ? 0 : x / (1 + Math.exp(-w));
}

/** x tanh(log(1 + exp(x))), with tanh(log(u)) = (u^2 - 1) / (u^2 + 1). */
function mish(x: number): number {
  if (x > 40) return x;
  const e = Math.exp(x);
  return e === 0 ? 0 : (x * (e * (e + 2))) / (e * (e + 2) + 2);
}

/** erf by its series of positive terms: 2/sqrt(pi) exp(-x^2) sum 2^n x^(2n+1) / (2n+1)!!. */
function errorFunction(x: number): number {
  if (Math.abs(x) > 3) return x > 0 ? 1 - complementaryErf(x) : complementaryErf(-x) - 1;
  let term = x;
  let sum = x;
  for (let n = 1; n < 60; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** 1 - erf(x) without cancellation: beyond 2 by the continued fraction of Laplace, evaluated from its end. */
function complementaryErf(x: number): number {
  if (x < 2) return 1 - errorFunction(x);
  if (x > 30) return 0;
  let tail = 0;
  for (let n = 120; n >= 1; n--) tail = n / 2 / (x + tail);
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * (x + tail));
}
