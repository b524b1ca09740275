/**
 * Fills dst with one 32-bit pattern: the result of reducing or pooling over no elements at all. dst is rows of
 * `stored` words of which the first `channels` are real and the rest, the padding lanes of `nhwc4`, hold zero.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';

export const CONSTANT_FILL_WGSL = `
struct Params { total: u32, bits: u32, channels: u32, stored: u32 }
@group(0) @binding(0) var<storage, read_write> dst: array<u32>;
@group(0) @binding(1) var<uniform> params: Params;
${FLAT_INDEX}
${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index < params.total) {
    dst[index] = select(0u, params.bits, index % params.stored < params.channels);
  }
}`;
