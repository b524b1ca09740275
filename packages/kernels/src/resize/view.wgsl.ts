/**
 * The view of Resize that all its kernels share: src [outer, src_a, MID, src_b, INNER], dst likewise, and which
 * position an invocation has. It makes ITEMS elements that lie BLOCKS apart along `inner`, so that they share taps
 * and index arithmetic while neighbouring invocations touch neighbouring addresses.
 */
import { FLAT_INDEX } from '../shared/flat-grid.ts';

export interface ViewSpec {
  readonly lanes: 1 | 4;
  readonly mid: number;
  readonly inner: number;
  readonly items: number;
}

/** Constants, `struct Params` (8 words; `b_taps`: where the taps of b begin) and `fn position_of(index: u32)`. */
export function viewWgsl(spec: ViewSpec): string {
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
struct Position {
  outer: u32,
  a: u32,
  m: u32,
  b: u32,
  block: u32,
  dst_row: u32,  // dst index of inner = 0
}
${FLAT_INDEX}
fn position_of(index: u32) -> Position {
  let row_b = index / BLOCKS;
  let row_m = row_b / params.dst_b;
  let row_a = row_m / MID;
  return Position(
    row_a / params.dst_a,
    row_a % params.dst_a,
    row_m % MID,
    row_b % params.dst_b,
    index % BLOCKS,
    row_b * INNER,
  );
}
// src index of inner = 0 at source positions from_a and from_b.
fn src_row(at: Position, from_a: u32, from_b: u32) -> u32 {
  return (((at.outer * params.src_a + from_a) * MID + at.m) * params.src_b + from_b) * INNER;
}`;
}
