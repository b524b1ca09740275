/**
 * Element types of Resize. Nearest moves all of them bit for bit (float16 too: `storeNarrow` puts it below). Linear and
 * cubic of integers up to 32 bits are sums in fixed point, see `gather-integers.wgsl.ts`.
 */
import { floatBits } from '../shared/float-bits.ts';

/** Type of `src` and `dst`; float16 is a `float32` whose storage is narrower. */
export type ResizeElement = 'float32' | IntegerElement | WideElement;

export type IntegerElement = 'int8' | 'uint8' | 'int16' | 'uint16' | 'int32' | 'uint32';

/** Integers of two words, which are moved only. */
export type WideElement = 'int64' | 'uint64';

export function isInteger(element: ResizeElement): element is IntegerElement {
  return element !== 'float32' && !isWide(element);
}

export function isWide(element: ResizeElement): element is WideElement {
  return element === 'int64' || element === 'uint64';
}

/** Bits of an integer, and whether one is its sign. */
export function integerFormat(element: IntegerElement | WideElement): {
  readonly bits: number;
  readonly signed: boolean;
} {
  return { bits: Number(element.replace(/\D+/, '')), signed: !element.startsWith('u') };
}

/** The type in labels: `f32`, `i8`, `u8`, ... */
export function elementLabel(element: ResizeElement): string {
  return element.replace('float', 'f').replace('uint', 'u').replace('int', 'i');
}

/**
 * A fraction within 2^-SNAP_BITS of one half counts as one half: which way a tie goes may not depend on how weights such
 * as 1/3 round.
 */
export function snapBits(element: IntegerElement): number {
  return integerFormat(element).bits === 32 ? 16 : 20;
}

/** The nearest integer, ties to the even one, held in the element's range as ONNX casts; NaN is 0. */
export function toInteger(value: number, element: IntegerElement): number {
  const { bits, signed } = integerFormat(element);
  const [least, largest] = signed ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
  const rounded = Math.sign(value) * roundEven(Math.abs(value), 2 ** -snapBits(element));
  return Number.isNaN(value) ? 0 : Math.min(Math.max(rounded, least), largest);
}

/** Rounds `size`, not negative; within `snap` of a tie to the even neighbour. */
function roundEven(size: number, snap: number): number {
  const down = Math.floor(size + 0.5 - snap);
  const up = Math.floor(size + 0.5 + snap);
  return down === up ? down : down + (down % 2);
}

/** Low and high word of a number as an element: its bits, or for integers those of the nearest one. */
export function elementWords(value: number, element: ResizeElement): readonly [number, number] {
  if (element === 'float32') return [floatBits(value), 0];
  if (isInteger(element)) return [toInteger(value, element) >>> 0, 0];
  const { signed } = integerFormat(element);
  const [least, largest] = signed ? [-(2n ** 63n), 2n ** 63n - 1n] : [0n, 2n ** 64n - 1n];
  const whole = BigInt(
    Number.isFinite(value)
      ? Math.sign(value) * roundEven(Math.abs(value), 0)
      : Math.sign(value || 0) * 2 ** 65,
  );
  const held = BigInt.asUintN(64, whole < least ? least : whole > largest ? largest : whole);
  return [Number(held & 0xffffffffn), Number(held >> 32n)];
}
