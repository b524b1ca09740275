/**
 * Division by a whole number, correctly rounded: WGSL allows a quotient to be 2.5 units in the last place off.
 * The reciprocal and the quotient are each corrected by their remainder, which fma gives exactly
 * (Markstein, "Computation of elementary functions on the IBM RISC System/6000", 1990).
 */
import { type ElementType, elementType } from './image-view.ts';

/**
 * WGSL of `fn divide_exact(value: T, count: u32) -> T`. Infinities and NaN pass through; a count of zero is the
 * caller's to handle. Exact for counts up to 2^24.
 */
export function divideExactWgsl(lanes: 1 | 4): string {
  const type: ElementType = elementType('f32', lanes);
  const bits: ElementType = elementType('u32', lanes);
  return `
fn divide_exact(value: ${type}, count: u32) -> ${type} {
  let divisor = f32(count);
  let guess = 1.0f / divisor;
  let reciprocal = fma(fma(-guess, divisor, 1.0f), guess, guess);
  let quotient = value * reciprocal;
  let remainder = fma(-quotient, ${type}(divisor), value);
  let corrected = fma(remainder, ${type}(reciprocal), quotient);
  let special = (bitcast<${bits}>(quotient) & ${bits}(0x7f800000u)) == ${bits}(0x7f800000u);
  return select(corrected, quotient, special);
}`;
}
