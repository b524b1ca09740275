/**
 * Element types of Resize. Nearest moves all of them bit for bit (float16 too: `storeNarrow` puts it below). Linear and
 * cubic of integers are sums in fixed point, see `gather-integers.wgsl.ts`.
 */

/** Type of `src` and `dst`; float16 is a `float32` whose storage is narrower. */
export type ResizeElement = 'float32' | 'int8' | 'uint8' | 'int32' | 'uint32';

/** The type in labels. */
export const ELEMENT_LABELS: Readonly<Record<ResizeElement, string>> = {
  float32: 'f32',
  int8: 'i8',
  uint8: 'u8',
  int32: 'i32',
  uint32: 'u32',
};

export type IntegerElement = Exclude<ResizeElement, 'float32'>;

/** Least and largest value. */
export const INTEGER_RANGES: Readonly<Record<IntegerElement, readonly [number, number]>> = {
  int8: [-128, 127],
  uint8: [0, 255],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
};

/**
 * A number as an element: as it is, or for integers without its fraction (towards zero, as ONNX casts) and held in the
 * type's range; NaN is 0.
 */
export function toElement(value: number, element: ResizeElement): number {
  if (element === 'float32') return value;
  const [least, largest] = INTEGER_RANGES[element];
  return Number.isNaN(value) ? 0 : Math.min(Math.max(Math.trunc(value), least), largest);
}
