/**
 * Nearest resampling moves 32-bit words, so every bit pattern arrives as it left. An invocation moves ITEMS elements
 * that lie BLOCKS apart along `inner`, so that neighbouring invocations touch neighbouring addresses.
 *
 *   src [outer, src_a, MID, src_b, INNER] -> dst [outer, dst_a, MID, dst_b, INNER]
 *   dst[o, a, m, b, i] = src[o, taps[a], m, taps[b_taps + b], i]
 */
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';

export interface MoveNearestSpec {
  readonly lanes: 1 | 4;
  readonly mid: number;
  readonly inner: number;
  /** Elements along `inner` an invocation moves: they share taps and index arithmetic. */
  readonly items: number;
}

export function moveNearestWgsl(spec: MoveNearestSpec): string {
  const type = spec.lanes === 4 ? 'vec4u' : 'u32';
  return `
const MID = ${spec.mid}u;
const INNER = ${spec.inner}u;
const ITEMS = ${spec.items}u;
const BLOCKS = (INNER + ITEMS - 1u) / ITEMS;
struct Params {
  total: u32,
  src_a: u32,
  src_b: u32,
  dst_a: u32,
  dst_b: u32,
  b_taps: u32,
  pad0: u32,
  pad1: u32,
}
@group(0) @binding(0) var<storage, read> src: array<${type}>;
@group(0) @binding(1) var<storage, read> taps: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<${type}>;
@group(0) @binding(3) var<uniform> params: Params;
${FLAT_INDEX}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let block = index % BLOCKS;
  let row_b = index / BLOCKS;
  let b = row_b % params.dst_b;
  let row_m = row_b / params.dst_b;
  let m = row_m % MID;
  let row_a = row_m / MID;
  let a = row_a % params.dst_a;
  let outer = row_a / params.dst_a;
  let base = ((outer * params.src_a + taps[a]) * MID + m) * params.src_b;
  let from_base = (base + taps[params.b_taps + b]) * INNER;
  for (var item = 0u; item < ITEMS; item++) {
    let i = block + item * BLOCKS;
    if (i < INNER) { dst[row_b * INNER + i] = src[from_base + i]; }
  }
}`;
}
