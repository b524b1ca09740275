/** Element types a GPU buffer can hold, and their sizes. Integers of 64 bits live on the host only. */

export type GpuElementType = 'float32' | 'float16' | 'int32' | 'uint32' | 'int8' | 'uint8';

const BYTES: Readonly<Record<GpuElementType, number>> = {
  float32: 4,
  float16: 2,
  int32: 4,
  uint32: 4,
  int8: 1,
  uint8: 1,
};

/** Bytes of one element. */
export function elementBytes(type: GpuElementType): number {
  return BYTES[type];
}
