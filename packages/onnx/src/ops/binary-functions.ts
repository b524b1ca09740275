/** Functions of two numbers on the host, for floating-point numbers and for integers, by ONNX's operator names. */
import { applyBinary } from '@onegpu/kernels/core';

export interface HostFunction {
  readonly float?: (x: number, y: number) => number;
  /** Divisions by zero give zero; a session must not die of a value nobody reads. */
  readonly integer?: (x: bigint, y: bigint) => bigint;
}

export const HOST_FUNCTIONS: Readonly<Record<string, HostFunction>> = {
  Add: { float: (x, y) => x + y, integer: (x, y) => x + y },
  Sub: { float: (x, y) => x - y, integer: (x, y) => x - y },
  Mul: { float: (x, y) => x * y, integer: (x, y) => x * y },
  Div: { float: (x, y) => x / y, integer: (x, y) => (y === 0n ? 0n : x / y) },
  Pow: { float: (x, y) => (x === 1 ? 1 : x ** y), integer: integerPower },
  Min: { float: Math.min, integer: smaller },
  Max: { float: Math.max, integer: larger },
  Sum: { float: (x, y) => x + y, integer: (x, y) => x + y },
  Mean: { float: (x, y) => x + y },
  PRelu: { float: (x, y) => (x < 0 ? x * y : x), integer: (x, y) => (x < 0n ? x * y : x) },
  Mod: { float: (x, y) => applyBinary('modulo', x, y), integer: floorModulo },
  Remainder: { float: (x, y) => x % y, integer: (x, y) => (y === 0n ? 0n : x % y) },
  And: { integer: (x, y) => x & y },
  Or: { integer: (x, y) => x | y },
  Xor: { integer: (x, y) => x ^ y },
  BitwiseAnd: { integer: (x, y) => x & y },
  BitwiseOr: { integer: (x, y) => x | y },
  BitwiseXor: { integer: (x, y) => x ^ y },
};

export const COMPARISONS: Readonly<Record<string, <T extends number | bigint>(x: T, y: T) => boolean>> = {
  Equal: (x, y) => x === y,
  Greater: (x, y) => x > y,
  GreaterOrEqual: (x, y) => x >= y,
  Less: (x, y) => x < y,
  LessOrEqual: (x, y) => x <= y,
};

/** Negative exponents give what an integer division of one would: zero, or one for a base of one. */
function integerPower(base: bigint, exponent: bigint): bigint {
  if (exponent >= 0n) return base ** exponent;
  if (base === 1n) return 1n;
  return base === -1n ? (exponent % 2n === 0n ? 1n : -1n) : 0n;
}

/** The remainder with the sign of the divisor, as Python has it. */
function floorModulo(x: bigint, y: bigint): bigint {
  if (y === 0n) return 0n;
  const rest = x % y;
  return rest !== 0n && rest < 0n !== y < 0n ? rest + y : rest;
}

/** Math.min and Math.max do not take bigints. */
function smaller(x: bigint, y: bigint): bigint {
  if (x < y) return x;
  return y;
}

function larger(x: bigint, y: bigint): bigint {
  if (x > y) return x;
  return y;
}
