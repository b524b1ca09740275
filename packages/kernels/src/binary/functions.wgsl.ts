/** The functions of two numbers, as WGSL over f32 or vec4f; padding lanes are masked by the kernel. */
import type { MathFunction } from '../shared/math.wgsl.ts';

/**
 * `prelu` is lhs, or rhs lhs where lhs is negative; `remainder` has the sign of lhs and is exact; `pow` of a
 * negative number needs a whole exponent, else it is NaN.
 */
export type BinaryFunction = 'add' | 'sub' | 'mul' | 'div' | 'pow' | 'min' | 'max' | 'prelu' | 'remainder';

export const BINARY_FUNCTIONS: readonly BinaryFunction[] = [
  'add',
  'sub',
  'mul',
  'div',
  'pow',
  'min',
  'max',
  'prelu',
  'remainder',
];

const EXPRESSIONS: Readonly<Record<Exclude<BinaryFunction, 'pow' | 'remainder'>, string>> = {
  add: 'lhs + rhs',
  sub: 'lhs - rhs',
  mul: 'lhs * rhs',
  div: 'lhs / rhs',
  min: 'min(lhs, rhs)',
  max: 'max(lhs, rhs)',
  prelu: 'select(lhs, rhs * lhs, lhs < T())',
};

/** Functions of `math.wgsl.ts` that `combine` calls. */
export function binaryMath(name: BinaryFunction): readonly MathFunction[] {
  if (name === 'pow') return ['m_pow'];
  return name === 'remainder' ? ['m_remainder'] : [];
}

/** WGSL of `fn combine(lhs: T, rhs: T) -> T`. */
export function combineWgsl(name: BinaryFunction, type: 'f32' | 'vec4f'): string {
  return `fn combine(lhs: ${type}, rhs: ${type}) -> ${type} { return ${expression(name, type)}; }`;
}

function expression(name: BinaryFunction, type: 'f32' | 'vec4f'): string {
  if (name !== 'pow' && name !== 'remainder') return EXPRESSIONS[name].replace('T()', `${type}()`);
  const call = name === 'pow' ? 'm_pow' : 'm_remainder';
  if (type === 'f32') return `${call}(lhs, rhs)`;
  return `vec4f(${['x', 'y', 'z', 'w'].map((lane) => `${call}(lhs.${lane}, rhs.${lane})`).join(', ')})`;
}
