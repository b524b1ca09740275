/**
 * Unary functions of one element: the activation steps of an epilogue and the element-wise unary operators are
 * the same functions from the same table.
 */

/** One step; a chain applies its steps in order, each rounded to float32. */
export type Activation =
  | { readonly kind: SimpleActivation }
  | { readonly kind: 'clip'; readonly min: number; readonly max: number }
  | { readonly kind: 'leaky-relu'; readonly alpha: number }
  | { readonly kind: 'elu'; readonly alpha: number }
  | { readonly kind: 'hard-sigmoid'; readonly alpha: number; readonly beta: number }
  /** scale * x + shift, as one fused multiply-add. */
  | { readonly kind: 'affine'; readonly scale: number; readonly shift: number };

export type SimpleActivation =
  | 'relu'
  | 'sigmoid'
  | 'silu'
  | 'tanh'
  | 'hard-swish'
  | 'exp'
  | 'log'
  | 'sqrt'
  | 'abs'
  | 'neg'
  | 'floor'
  | 'ceil'
  | 'reciprocal';

/** A float32 constant as WGSL text, exact; infinities become the largest finite value. */
export function floatLiteral(value: number): string {
  const rounded = Math.fround(Math.min(Math.max(value, -3.4028234663852886e38), 3.4028234663852886e38));
  const text = String(rounded);
  return /[.e]/.test(text) ? `${text}f` : `${text}.0f`;
}

/** WGSL of `fn activate(x: T) -> T` for a chain of steps. */
export function activationWgsl(steps: readonly Activation[], type: 'f32' | 'vec4f'): string {
  const lines = steps.map((step) => `  x = ${expression(step, type)};`);
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

function expression(step: Activation, type: 'f32' | 'vec4f'): string {
  const splat = (value: number): string => `${type}(${floatLiteral(value)})`;
  switch (step.kind) {
    case 'relu':
      return `max(x, ${splat(0)})`;
    case 'clip':
      return `min(max(x, ${splat(step.min)}), ${splat(step.max)})`;
    case 'leaky-relu':
      return `select(x, ${splat(step.alpha)} * x, x < ${splat(0)})`;
    case 'elu':
      return `select(x, ${splat(step.alpha)} * (exp(min(x, ${splat(0)})) - ${splat(1)}), x < ${splat(0)})`;
    case 'hard-sigmoid':
      return `min(max(fma(${splat(step.alpha)}, x, ${splat(step.beta)}), ${splat(0)}), ${splat(1)})`;
    case 'hard-swish':
      return `x * min(max(fma(${splat(1 / 6)}, x, ${splat(0.5)}), ${splat(0)}), ${splat(1)})`;
    case 'sigmoid':
      return `${splat(1)} / (${splat(1)} + exp(-x))`;
    case 'silu':
      return `x / (${splat(1)} + exp(-x))`;
    case 'tanh':
      return `tanh(min(max(x, ${splat(-15)}), ${splat(15)}))`;
    case 'affine':
      return `fma(${splat(step.scale)}, x, ${splat(step.shift)})`;
    case 'neg':
      return '-x';
    case 'reciprocal':
      return `${splat(1)} / x`;
    default:
      return `${step.kind}(x)`;
  }
}
