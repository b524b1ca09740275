/**
 * The pair over workgroup memory: a workgroup makes, for a tile of source pixels and one tap of the first convolution,
 * all channels between the two as a register-tiled product, leaves them in workgroup memory, and multiplies them with
 * the taps of the second there. Sums are in the order of `pair.wgsl.ts`, bit for bit.
 */
import {
  cellLines,
  multiplyLines,
  outerProductLines,
  type RegisterTile,
  rowLines,
} from '../gemm/tile-lines.ts';
import { lanePlaceLines } from '../gemm/transposed-tile.ts';
import { type PairShape, pairHead } from './pair.wgsl.ts';
import { keepQuadLines, quadShift, transposedCells, transposedLoadLines } from './quad-tile.ts';

/** Pixels of an invocation's cell; it makes one vec4 of channels for each. */
const CELL_PIXELS = 8;
const MOST_INVOCATIONS = 128;
const MOST_PIXELS = 512;
/** vec4 every device has for a workgroup. */
const MEMORY_QUADS = 1024;
/** Longer sums are made in blocks, which only the other kernel does. */
export const MOST_TERMS = 256;

export interface PairTile {
  readonly pixels: number;
  readonly invocations: number;
  /** vec4 of source channels that lie in workgroup memory at a time, and how often. */
  readonly chunk: number;
  readonly chunks: number;
}

/** Of `ic` source channels and `mid` between the convolutions. */
export function pairTile(ic: number, mid: number): PairTile {
  const quads = Math.ceil(mid / 4);
  const columns = 2 ** Math.floor(Math.log2(MOST_INVOCATIONS / quads));
  const most = 2 ** Math.floor(Math.log2(MEMORY_QUADS / quads));
  const pixels = Math.min(columns * CELL_PIXELS, most, MOST_PIXELS);
  return {
    pixels,
    invocations: (pixels / CELL_PIXELS) * quads,
    ...chunksOf(Math.ceil(ic / 4), pixels, quads),
  };
}

/** Chunks that reach least past the source channels; the barriers of one take about as long as another vec4. */
function chunksOf(icQuads: number, pixels: number, quads: number): Pick<PairTile, 'chunk' | 'chunks'> {
  const fitting = Array.from({ length: icQuads }, (_, index) => index + 1).filter(
    (chunk) => chunk * (pixels + quadShift(chunk) + 4 * quads) <= MEMORY_QUADS,
  );
  const timeOf = (chunk: number): number => Math.ceil(icQuads / chunk) * (chunk + 1);
  const chunk = fitting.reduce((best, each) => (timeOf(each) < timeOf(best) ? each : best), 1);
  return { chunk, chunks: Math.ceil(icQuads / chunk) };
}

const CELL: RegisterTile = { rows: CELL_PIXELS, columns: 1 };

export function pairTileWgsl(spec: PairShape): string {
  const quads = Math.ceil(spec.mid / 4);
  const tile = pairTile(spec.ic, spec.mid);
  const { pixels, invocations, chunk } = tile;
  const stride = pixels + quadShift(chunk);
  return `${pairHead(spec)}
const PIXELS = ${pixels}u;
const PIXEL_QUADS = ${pixels / 4}u;
const INVOCATIONS = ${invocations}u;
const CHUNK = ${chunk}u;
const QUAD_STRIDE = ${stride}u;
const WEIGHTS_AT = ${chunk * stride}u;
const ROWS = ${pixels / CELL_PIXELS}u;

// A chunk of src [CHUNK, QUAD_STRIDE], a quad of terms as [4, PIXEL_QUADS] with pixel v + c * PIXEL_QUADS in component c of
// vec4 v, and behind it of the weights [4 * CHUNK, MID_QUADS]; then the channels between, [PIXELS, MID_QUADS], a row rotated
// by its number so that rows read at once lie in different banks.
var<workgroup> memory: array<vec4f, ${Math.max(chunk * (stride + 4 * quads), pixels * quads)}>;

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
  ${productLines(spec, tile)}
  ${rowLines(CELL, (i) => keepBetween(spec, i))}
  workgroupBarrier();
  for (var n = 0u; n < (PIXELS * OUT_QUADS + INVOCATIONS - 1u) / INVOCATIONS; n++) {
    let pixel = (local + n * INVOCATIONS) % PIXELS;
    let taps = (local + n * INVOCATIONS) / PIXELS;
    if ((taps < OUT_QUADS) & (first + pixel < params.pixels)) {
      var c0_0 = vec4f();
      for (var q = 0u; q < MID_QUADS; q++) {
        let a0 = memory[pixel * MID_QUADS + (q + pixel) % MID_QUADS];
        ${multiplyLines({ rows: 1, columns: 1 }, (lane) => `weights[(4u * q + ${lane}u) * OUT_QUADS + taps]`)}
      }
      store(c0_0, first + pixel, tap, taps);
    }
  }
}`;
}

/** vec4 of src and of weights that an invocation loads for a chunk; the last may be one too many. */
function loadsOf({ mid }: PairShape, { pixels, invocations, chunk }: PairTile) {
  const [src, weights] = [pixels * chunk, 4 * chunk * Math.ceil(mid / 4)];
  return {
    src: { rows: Math.ceil(src / invocations), columns: 1, whole: src % invocations === 0 },
    weights: { rows: Math.ceil(weights / invocations), columns: 1, whole: weights % invocations === 0 },
  };
}

function loadLines(spec: PairShape, tile: PairTile, step: string): string {
  const { src, weights } = loadsOf(spec, tile);
  const ragged = tile.chunks * tile.chunk !== Math.ceil(spec.ic / 4);
  const srcLines = rowLines(src, (i) => {
    const value = `next_a${i} = src[at${i} + ${step} * CHUNK];`;
    return ragged ? `next_a${i} = vec4f();\nif (quad${i} + ${step} * CHUNK < IC_QUADS) { ${value} }` : value;
  });
  const weightLines = rowLines(
    weights,
    (j) => `let k${j} = min(4u * ${step} * CHUNK + weight${j} / MID_QUADS, 4u * IC_QUADS - 1u);
next_b${j} = first_weights[(k${j} * TAPS + tap) * MID_QUADS + weight${j} % MID_QUADS];`,
  );
  return `{\n${srcLines}\n${weightLines}\n}`;
}

/** The first product into `c<row>_0` of cell (`tx`, `ty`), behind a barrier; loads run a chunk ahead of it. */
function productLines(spec: PairShape, tile: PairTile): string {
  const { pixels, chunk, chunks } = tile;
  const { src, weights } = loadsOf(spec, tile);
  const shape = { rowQuads: pixels / 4, stepQuads: chunk };
  return `${rowLines(
    src,
    (i) => `let item${i} = local + ${i}u * INVOCATIONS;
${transposedLoadLines(i, { item: `item${i}`, ...shape })}
let at${i} = min(first + row${i} + part${i} * PIXEL_QUADS, params.pixels - 1u) * IC_QUADS + quad${i};
var next_a${i} = vec4f();`,
  )}
${rowLines(weights, (j) => `let weight${j} = local + ${j}u * INVOCATIONS;\nvar next_b${j} = vec4f();`)}
${loadLines(spec, tile, '0u')}
${lanePlaceLines('local', { x: Math.ceil(spec.mid / 4), y: pixels / CELL_PIXELS })}
${cellLines(CELL, (i, j) => `var c${i}_${j} = vec4f();`)}
for (var chunk = 0u; chunk < ${chunks}u; chunk++) {
  ${rowLines(src, (i) =>
    guarded(
      !src.whole && i === src.rows - 1,
      `item${i} < PIXELS * CHUNK`,
      keepQuadLines(i, { tile: 'memory', ...shape, register: `next_a${i}` }),
    ),
  )}
  ${rowLines(weights, (j) =>
    guarded(
      !weights.whole && j === weights.rows - 1,
      `weight${j} < 4u * CHUNK * MID_QUADS`,
      `memory[WEIGHTS_AT + weight${j}] = next_b${j};`,
    ),
  )}
  workgroupBarrier();
  ${chunks === 1 ? '' : `if (chunk < ${chunks - 1}u) ${loadLines(spec, tile, '(chunk + 1u)')}`}
  for (var q = 0u; q < CHUNK; q++) {
    let src_at = q * QUAD_STRIDE + ty;
    let weights_at = WEIGHTS_AT + 4u * q * MID_QUADS + tx;
    ${[0, 1, 2, 3].map(termLines).join('\n')}
  }
  workgroupBarrier();
}`;
}

function guarded(guard: boolean, condition: string, lines: string): string {
  return guard ? `if (${condition}) {\n${lines}\n}` : lines;
}

/** One term of a quad: the products of the invocation's pixels. */
function termLines(term: number): string {
  return outerProductLines(
    CELL,
    (i) => `memory[src_at + ${term}u * PIXEL_QUADS + ${i}u * ROWS]`,
    () => `memory[weights_at + ${term}u * MID_QUADS]`,
  );
}

/** A vec4 of channels between the convolutions into workgroup memory. */
function keepBetween({ firstBias }: PairShape, row: number): string {
  return `{
    let pixel = ty + ${transposedCells(CELL_PIXELS, `${row}u`)} * ROWS;
    memory[pixel * MID_QUADS + (tx + pixel) % MID_QUADS] = between(c${row}_0${firstBias ? ' + first_bias[tx]' : ''}, tx);
  }`;
}
