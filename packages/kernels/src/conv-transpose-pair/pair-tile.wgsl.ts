/**
 * The pair over workgroup memory: a workgroup makes, for a tile of source pixels and one tap of the first convolution,
 * all channels between the two as a register-tiled product, leaves them in workgroup memory, and multiplies them with
 * the taps of the second there. Sums are in the order of `pair.wgsl.ts`, bit for bit.
 */
import { cellLines, multiplyLines, type RegisterTile, rowLines } from '../gemm/tile-lines.ts';
import { type PairShape, pairHead } from './pair.wgsl.ts';

/** Pixels of an invocation's cell; it makes one vec4 of channels for each. */
const CELL_PIXELS = 8;
const MOST_INVOCATIONS = 128;
/** Bytes every device has for a workgroup. */
const MEMORY_BYTES = 16384;
/** Longer sums are made in blocks, which only the other kernel does. */
export const MOST_TERMS = 256;

export interface PairTile {
  readonly pixels: number;
  readonly invocations: number;
  /** vec4 of source channels that lie in workgroup memory at a time. */
  readonly chunk: number;
}

/** Of `ic` source channels and `mid` between the convolutions. */
export function pairTile(ic: number, mid: number): PairTile {
  const quads = Math.ceil(mid / 4);
  const columns = 2 ** Math.floor(Math.log2(MOST_INVOCATIONS / quads));
  const pixels = Math.min(columns * CELL_PIXELS, 2 ** Math.floor(Math.log2(MEMORY_BYTES / (16 * quads))));
  const most = Math.floor(MEMORY_BYTES / (16 * (pixels + 4 * quads)));
  return {
    pixels,
    invocations: (pixels / CELL_PIXELS) * quads,
    chunk: Math.min(most, Math.ceil(ic / 4)),
  };
}

export function pairTileWgsl(spec: PairShape): string {
  const { ic, mid } = spec;
  const quads = Math.ceil(mid / 4);
  const { pixels, invocations, chunk } = pairTile(ic, mid);
  const cell: RegisterTile = { rows: CELL_PIXELS, columns: 1 };
  const out: RegisterTile = { rows: 1, columns: 1 };
  const chunks = Math.ceil(Math.ceil(ic / 4) / chunk);
  const vectors = Math.max((pixels + 4 * quads) * chunk, pixels * quads);
  return `${pairHead(spec)}
const PIXELS = ${pixels}u;
const INVOCATIONS = ${invocations}u;
const CHUNK = ${chunk}u;
const ROWS = ${pixels / CELL_PIXELS}u;

// A chunk of src [PIXELS, CHUNK] and behind it of the weights [4 * CHUNK, MID_QUADS]; then the channels between, [PIXELS,
// MID_QUADS], a row rotated by its number so that rows read at once lie in different banks.
var<workgroup> memory: array<vec4f, ${vectors}>;

@compute @workgroup_size(${invocations})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let index = folded_workgroup(workgroup, workgroups);
  let tap = index % TAPS;
  let first = index / TAPS * PIXELS;
  if (first >= params.pixels) { return; }
  let quad = local % MID_QUADS;
  let row = local / MID_QUADS;
  ${cellLines(cell, (i, j) => `var c${i}_${j} = vec4f();`)}
  for (var chunk = 0u; chunk < ${chunks}u; chunk++) {
    workgroupBarrier();
    for (var i = local; i < PIXELS * CHUNK; i += INVOCATIONS) {
      let k4 = chunk * CHUNK + i % CHUNK;
      let pixel = min(first + i / CHUNK, params.pixels - 1u);
      memory[i] = select(vec4f(), src[pixel * IC_QUADS + min(k4, IC_QUADS - 1u)], k4 < IC_QUADS);
    }
    for (var i = local; i < 4u * CHUNK * MID_QUADS; i += INVOCATIONS) {
      let k = min(4u * chunk * CHUNK + i / MID_QUADS, 4u * IC_QUADS - 1u);
      memory[PIXELS * CHUNK + i] = first_weights[(k * TAPS + tap) * MID_QUADS + i % MID_QUADS];
    }
    workgroupBarrier();
    for (var q = 0u; q < CHUNK; q++) {
      ${rowLines(cell, (i) => `let a${i} = memory[(row + ${i}u * ROWS) * CHUNK + q];`)}
      let weights_at = PIXELS * CHUNK + 4u * q * MID_QUADS + quad;
      ${multiplyLines(cell, (lane) => `memory[weights_at + ${lane}u * MID_QUADS]`)}
    }
  }
  workgroupBarrier();
  ${rowLines(
    cell,
    (i) =>
      `memory[(row + ${i}u * ROWS) * MID_QUADS + (quad + row + ${i}u * ROWS) % MID_QUADS] = activate_hidden(c${i}_0${
        spec.firstBias ? ' + first_bias[quad]' : ''
      });`,
  )}
  workgroupBarrier();
  for (var i = local; i < PIXELS * OUT_QUADS; i += INVOCATIONS) {
    let pixel = i % PIXELS;
    let taps = i / PIXELS;
    var c0_0 = vec4f();
    for (var q = 0u; q < MID_QUADS; q++) {
      let a0 = memory[pixel * MID_QUADS + (q + pixel) % MID_QUADS];
      ${multiplyLines(out, (lane) => `weights[(4u * q + ${lane}u) * OUT_QUADS + taps]`)}
    }
    if (first + pixel < params.pixels) { store(c0_0, first + pixel, tap, taps); }
  }
}`;
}
