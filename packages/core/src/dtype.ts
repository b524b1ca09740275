/** Element types a GPU buffer can hold, and their sizes. Kernels see integers of 64 bits as vec2u, low word first. */

export type GpuElementType =
  | 'float32'
  | 'float16'
  | 'int64'
  | 'uint64'
  | 'int32'
  | 'uint32'
  | 'int16'
  | 'uint16'
  | 'int8'
  | 'uint8';

const BYTES: Readonly<Record<GpuElementType, number>> = {
  float32: 4,
  float16: 2,
  int64: 8,
  uint64: 8,
  int32: 4,
  uint32: 4,
  int16: 2,
  uint16: 2,
  int8: 1,
  uint8: 1,
};

/** Bytes of one element. */
export function elementBytes(type: GpuElementType): number {
  return BYTES[type];
}
