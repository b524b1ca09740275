/** The smallest dispatch that depends on the one before it: one invocation adds 1 to a counter. */
export const COUNT_DISPATCHES_WGSL = `
@group(0) @binding(0) var<storage, read_write> counter: array<u32>;

@compute @workgroup_size(1)
fn main() {
  counter[0] = counter[0] + 1u;
}`;
