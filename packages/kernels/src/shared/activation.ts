/**
 * Unary functions of one element: the activation steps of an epilogue and the element-wise unary operators are
 * the same functions from the same table. Each step is rounded to float32 and within a few ulp of the exact value
 * (`math.wgsl.ts`); `f32` and `vec4f` text give the same bits. NaN in, unspecified out: WGSL may ignore NaN.
 */
import { floatLiteral } from './float-literal.ts';
import { type MathFunction, mathWgsl } from './math.wgsl.ts';

export { floatLiteral } from './float-literal.ts';

/** One step; a chain applies its steps in order, each rounded to float32. Constants are taken as float32. */
export type Activation =
  | { readonly kind: SimpleActivation }
  /** An infinite bound is no bound; min > max gives max. */
  | { readonly kind: 'clip'; readonly min: number; readonly max: number }
  /** x, or alpha x below zero. */
  | { readonly kind: 'leaky-relu'; readonly alpha: number }
  /** x, or alpha (exp(x) - 1) below zero. */
  | { readonly kind: 'elu'; readonly alpha: number }
  /** gamma x, or gamma alpha (exp(x) - 1) below zero. */
  | { readonly kind: 'selu'; readonly alpha: number; readonly gamma: number }
  /** x, or alpha (exp(x / alpha) - 1) below zero. */
  | { readonly kind: 'celu'; readonly alpha: number }
  /** x above alpha, else zero. */
  | { readonly kind: 'thresholded-relu'; readonly alpha: number }
  /** alpha x + beta as one fused multiply-add, limited to 0..1. */
  | { readonly kind: 'hard-sigmoid'; readonly alpha: number; readonly beta: number }
  /** x to a constant power; NaN for negative x unless the exponent is whole. */
  | { readonly kind: 'power'; readonly exponent: number }
  /** x moved towards zero by bias where |x| > lambda, else zero. */
  | { readonly kind: 'shrink'; readonly lambda: number; readonly bias: number }
  /** scale * x + shift, as one fused multiply-add. */
  | { readonly kind: 'affine'; readonly scale: number; readonly shift: number };

export type SimpleActivation =
  | BuiltinActivation
  | MathActivation
  | 'relu'
  | 'hard-swish'
  | 'softsign'
  | OperatorActivation;

/**
 * Largest error of one step, in float32 ulp of the exact value; where argument or value is below 2^-120 in size the
 * error is absolute, at most 2^-126 (subnormal numbers may be flushed to zero). Division is WGSL's, 2.5 ulp.
 */
export const ACTIVATION_ULP = 8;

/** WGSL functions that are exact or correctly rounded; `round` takes halves to even. */
type BuiltinActivation = 'sqrt' | 'abs' | 'floor' | 'ceil' | 'round' | 'sign';
type OperatorActivation = 'neg' | 'reciprocal';
/** Functions of `math.wgsl.ts`. `gelu` is x Phi(x), `gelu-tanh` its tanh form. */
type MathActivation =
  | 'sigmoid'
  | 'silu'
  | 'tanh'
  | 'softplus'
  | 'gelu'
  | 'gelu-tanh'
  | 'mish'
  | 'erf'
  | 'exp'
  | 'log'
  | 'sin'
  | 'cos'
  | 'tan'
  | 'asin'
  | 'acos'
  | 'atan'
  | 'sinh'
  | 'cosh'
  | 'asinh'
  | 'acosh'
  | 'atanh';

const MATH: Readonly<Record<MathActivation, MathFunction>> = {
  sigmoid: 'm_sigmoid',
  silu: 'm_silu',
  tanh: 'm_tanh',
  softplus: 'm_softplus',
  gelu: 'm_gelu',
  'gelu-tanh': 'm_gelu_tanh',
  mish: 'm_mish',
  erf: 'm_erf',
  exp: 'm_exp',
  log: 'm_log',
  sin: 'm_sin',
  cos: 'm_cos',
  tan: 'm_tan',
  asin: 'm_asin',
  acos: 'm_acos',
  atan: 'm_atan',
  sinh: 'm_sinh',
  cosh: 'm_cosh',
  asinh: 'm_asinh',
  acosh: 'm_acosh',
  atanh: 'm_atanh',
};

/** Functions of `math.wgsl.ts` that a chain calls; for shaders that call others of them too. */
export function activationMath(steps: readonly Activation[]): readonly MathFunction[] {
  return steps.flatMap((step) => {
    if (step.kind === 'elu' || step.kind === 'selu' || step.kind === 'celu') return ['m_expm1' as const];
    if (step.kind === 'power') return ['m_pow' as const];
    return step.kind in MATH ? [MATH[step.kind as MathActivation]] : [];
  });
}

/**
 * Where the constants of `affine` steps stand: in the text, or in an array `constants` in the order of
 * `activationConstants`. They are what differs from layer to layer of one network, and with them in the text every
 * layer would be a pipeline of its own.
 */
export type ConstantsPlace = 'text' | 'array';

/** Contents of the array `constants` for a chain. */
export function activationConstants(steps: readonly Activation[]): readonly number[] {
  return steps.flatMap((step) => (step.kind === 'affine' ? [step.scale, step.shift] : []));
}

/** WGSL of `fn activate(x: T) -> T` for a chain of steps, and of all it calls. */
export function activationWgsl(
  steps: readonly Activation[],
  type: 'f32' | 'vec4f',
  constants: ConstantsPlace = 'text',
): string {
  return `${mathWgsl(activationMath(steps))}
${activateWgsl(steps, type, constants)}`;
}

/** WGSL of `fn activate` alone; `mathWgsl(activationMath(steps))` must stand before it. */
export function activateWgsl(
  steps: readonly Activation[],
  type: 'f32' | 'vec4f',
  constants: ConstantsPlace = 'text',
): string {
  let used = 0;
  const lines = steps.map((step) => {
    if (step.kind !== 'affine' || constants === 'text') return `  x = ${expression(step, type)};`;
    used += 2;
    return `  x = fma(${type}(constants[${used - 2}]), x, ${type}(constants[${used - 1}]));`;
  });
  return `fn activate(value: ${type}) -> ${type} {
  var x = value;
${lines.join('\n')}
  return x;
}`;
}

/** Label part of a chain: `relu`, `hard-sigmoid+affine`, or an empty string. */
export function activationLabel(steps: readonly Activation[]): string {
  return steps.map((step) => step.kind).join('+');
}

/** Whether a chain maps zero to zero, so that padding lanes need no mask behind it. */
export function keepsZero(steps: readonly Activation[]): boolean {
  return steps.every((step) => {
    switch (step.kind) {
      case 'clip':
        return step.min <= 0 && step.max >= 0;
      case 'thresholded-relu':
        return true;
      case 'hard-sigmoid':
        return step.beta <= 0;
      case 'affine':
        return step.shift === 0;
      case 'shrink':
        return step.lambda >= 0;
      case 'power':
        return step.exponent > 0;
      default:
        return !MOVE_ZERO.has(step.kind);
    }
  });
}

const MOVE_ZERO: ReadonlySet<Activation['kind']> = new Set([
  'sigmoid',
  'softplus',
  'exp',
  'log',
  'reciprocal',
  'cos',
  'acos',
  'cosh',
  'acosh',
] as const);

function expression(step: Activation, type: 'f32' | 'vec4f'): string {
  const splat = (value: number): string => `${type}(${floatLiteral(value)})`;
  const saturate = (text: string): string => `min(max(${text}, ${splat(0)}), ${splat(1)})`;
  const negative = `x < ${splat(0)}`;
  switch (step.kind) {
    case 'relu':
      return `max(x, ${splat(0)})`;
    case 'clip':
      return clip(step.min, step.max, splat);
    case 'leaky-relu':
      return `select(x, ${splat(step.alpha)} * x, ${negative})`;
    case 'elu':
      return `select(x, ${splat(step.alpha)} * ${call('m_expm1', 'x', type)}, ${negative})`;
    case 'selu':
      return `${splat(step.gamma)} * select(x, ${splat(step.alpha)} * ${call('m_expm1', 'x', type)}, ${negative})`;
    case 'celu':
      return `select(x, ${splat(step.alpha)} * ${call('m_expm1', `(x / ${splat(step.alpha)})`, type)}, ${negative})`;
    case 'thresholded-relu':
      return `select(${splat(0)}, x, x > ${splat(step.alpha)})`;
    case 'hard-sigmoid':
      return saturate(`fma(${splat(step.alpha)}, x, ${splat(step.beta)})`);
    case 'hard-swish':
      return `x * (min(max(x + ${splat(3)}, ${splat(0)}), ${splat(6)}) * ${splat(1 / 6)})`;
    case 'power':
      return call('m_pow', 'x', type, floatLiteral(step.exponent));
    case 'softsign':
      // Division by more than 2^126 gives 0 on some GPUs, as WGSL allows; beyond 2^25 the result is 1 anyway.
      return `clamp(x, ${splat(-(2 ** 25))}, ${splat(2 ** 25)}) / (${splat(1)} + min(abs(x), ${splat(2 ** 25)}))`;
    case 'shrink': {
      const above = `select(${splat(0)}, x - ${splat(step.bias)}, x > ${splat(step.lambda)})`;
      return `select(${above}, x + ${splat(step.bias)}, x < ${splat(-step.lambda)})`;
    }
    case 'affine':
      return `fma(${splat(step.scale)}, x, ${splat(step.shift)})`;
    case 'neg':
      return '-x';
    case 'reciprocal':
      return `${splat(1)} / x`;
    case 'sqrt':
    case 'abs':
    case 'floor':
    case 'ceil':
    case 'round':
    case 'sign':
      return `${step.kind}(x)`;
    default:
      return call(MATH[step.kind], 'x', type);
  }
}

function clip(min: number, max: number, splat: (value: number) => string): string {
  const lower = min === Number.NEGATIVE_INFINITY ? 'x' : `max(x, ${splat(min)})`;
  return max === Number.POSITIVE_INFINITY ? lower : `min(${lower}, ${splat(max)})`;
}

/** A scalar function applied to a value of either type; a second argument is a scalar. */
function call(name: MathFunction, argument: string, type: 'f32' | 'vec4f', second?: string): string {
  const rest = second === undefined ? '' : `, ${second}`;
  if (type === 'f32') return `${name}(${argument}${rest})`;
  const lanes = ['x', 'y', 'z', 'w'].map((lane) => `${name}(${argument}.${lane}${rest})`);
  return `vec4f(${lanes.join(', ')})`;
}
