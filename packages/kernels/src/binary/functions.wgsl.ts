/** The functions of two numbers, as WGSL over f32 or vec4f; padding lanes are masked by the kernel. */
import type { MathFunction } from '../shared/math.wgsl.ts';

/**
 * `prelu` is lhs, or rhs lhs where lhs is negative. `remainder` has the sign of lhs and is exact, `modulo` has the
 * sign of rhs. `pow` of a negative number needs a whole exponent, else it is NaN.
 */
export type BinaryFunction = PlainFunction | CalledFunction;

type PlainFunction = 'add' | 'sub' | 'mul' | 'div' | 'min' | 'max' | 'prelu';
type CalledFunction = 'pow' | 'remainder' | 'modulo';

const PLAIN: Readonly<Record<PlainFunction, (type: 'f32' | 'vec4f') => string>> = {
  add: () => 'lhs + rhs',
  sub: () => 'lhs - rhs',
  mul: () => 'lhs * rhs',
  div: () => 'lhs / rhs',
  min: () => 'min(lhs, rhs)',
  max: () => 'max(lhs, rhs)',
  prelu: (type) => `select(lhs, rhs * lhs, lhs < ${type}())`,
};

const CALLED: Readonly<Record<CalledFunction, MathFunction>> = {
  pow: 'm_pow',
  remainder: 'm_remainder',
  modulo: 'm_modulo',
};

export const BINARY_FUNCTIONS = [...Object.keys(PLAIN), ...Object.keys(CALLED)] as readonly BinaryFunction[];

/** Functions of `math.wgsl.ts` that `combine` calls. */
export function binaryMath(name: BinaryFunction): readonly MathFunction[] {
  return isCalled(name) ? [CALLED[name]] : [];
}

/** WGSL of `fn combine(lhs: T, rhs: T) -> T`. */
export function combineWgsl(name: BinaryFunction, type: 'f32' | 'vec4f'): string {
  return `fn combine(lhs: ${type}, rhs: ${type}) -> ${type} { return ${expression(name, type)}; }`;
}

function isCalled(name: BinaryFunction): name is CalledFunction {
  return name in CALLED;
}

function expression(name: BinaryFunction, type: 'f32' | 'vec4f'): string {
  if (!isCalled(name)) return PLAIN[name](type);
  const call = CALLED[name];
  if (type === 'f32') return `${call}(lhs, rhs)`;
  return `vec4f(${['x', 'y', 'z', 'w'].map((lane) => `${call}(lhs.${lane}, rhs.${lane})`).join(', ')})`;
}
