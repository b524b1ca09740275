/** The p-th powers of sizes and the p-th root of their sum, as WGSL: what an Lp norm does to its terms and its sum. */
import { floatLiteral } from './float-literal.ts';
import { elementType } from './image-view.ts';
import { mathWgsl } from './math.wgsl.ts';

/** Whole powers up to this one are products. */
const PRODUCTS = 4;

/** WGSL of `fn to_power(size: T) -> T` and `fn to_root(sum: T) -> T`, sizes and sums not negative. */
export function powerSumWgsl(power: number, lanes: 1 | 4): string {
  const type = elementType('f32', lanes);
  const whole = Number.isInteger(power) && power <= PRODUCTS;
  const each = (exponent: number): string => {
    const call = (x: string): string => `m_pow(${x}, ${floatLiteral(exponent)})`;
    if (lanes === 1) return call('x');
    return `vec4f(${['x.x', 'x.y', 'x.z', 'x.w'].map(call).join(', ')})`;
  };
  const product = Array.from({ length: power }, () => 'x').join(' * ');
  const root = power === 1 ? 'x' : power === 2 ? 'sqrt(x)' : each(1 / power);
  return `${power > 2 || !whole ? mathWgsl(['m_pow']) : ''}
fn to_power(x: ${type}) -> ${type} { return ${whole ? product : each(power)}; }
fn to_root(x: ${type}) -> ${type} { return ${root}; }`;
}
