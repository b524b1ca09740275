/**
 * Division by a whole number, correctly rounded: WGSL allows a quotient to be 2.5 units in the last place off.
 * A first quotient is corrected by its remainder. The remainder must be exact, and fma does not promise that (it
 * may round twice, and does on SwiftShader), so the quotient q is cut into two halves of 12 bits whose products
 * with a count d below 2^12 are exact:  r = (value - high(q)*d) - low(q)*d,  q' = q + r/d.
 * T. J. Dekker, "A floating-point technique for extending the available precision", 1971.
 */
import { type ElementType, elementType } from './image-view.ts';

/**
 * WGSL of `fn divide_exact(value: T, count: u32) -> T`, count at least 1. Infinities and NaN pass through. For
 * counts from 2^12 on the quotient may be one unit in the last place off.
 */
export function divideExactWgsl(lanes: 1 | 4): string {
  const type: ElementType = elementType('f32', lanes);
  const bits: ElementType = elementType('u32', lanes);
  return `
fn divide_exact(value: ${type}, count: u32) -> ${type} {
  let divisor = f32(count);
  let quotient = value * (1.0f / divisor);
  let quotient_bits = bitcast<${bits}>(quotient);
  let high = bitcast<${type}>(quotient_bits & ${bits}(0xfffff000u));
  let low = quotient - high;
  let remainder = (value - high * divisor) - low * divisor;
  let corrected = quotient + remainder / divisor;
  let special = (quotient_bits & ${bits}(0x7f800000u)) == ${bits}(0x7f800000u);
  return select(corrected, quotient, special);
}`;
}
