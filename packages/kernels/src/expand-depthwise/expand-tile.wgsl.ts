/**
 * The expansion of a band as WGSL: [pixels, QUADS] = src [pixels, source channels] x weights [source channels, QUADS],
 * summed by slices of k in steps. A step's operands are loaded into registers while the step before is multiplied.
 *   tiles = src [PIXELS, PIXEL_STRIDE], then weights [4 * STEP_QUADS, QUADS]; later the sums of the slices
 */
import { cellLines, multiplyLines, rowLines } from '../gemm/tile-lines.ts';
import { BLOCK_QUADS, type MapTile, pixelStride, tileInvocations } from './map-tile.ts';

export function expandConstants(tile: MapTile): string {
  const { pixels, quads, cell, slices, kQuads } = tile;
  return `const PIXELS = ${pixels}u;
const PIXEL_STRIDE = ${pixelStride(tile)}u;
const WEIGHTS_AT = ${pixels * pixelStride(tile)}u;
const SLICES = ${slices}u;
const K_QUADS = ${kQuads}u;
const STEP_QUADS = ${slices * kQuads}u;
const TILES_X = ${quads / cell.columns}u;
const TILES_Y = ${pixels / cell.rows}u;
const LANES = ${(quads / cell.columns) * (pixels / cell.rows)}u;
const REGISTERS = ${cell.rows * cell.columns}u;`;
}

interface Expansion {
  readonly tile: MapTile;
  readonly ragged: boolean;
}

/** vec4 of src and of weights that an invocation loads in a step; the last may be one too many. */
function loadsOf(tile: MapTile) {
  const { pixels, quads, slices, kQuads } = tile;
  const invocations = tileInvocations(tile);
  const [src, weights] = [pixels * slices * kQuads, 4 * slices * kQuads * quads];
  return {
    src: { rows: Math.ceil(src / invocations), columns: 1, whole: src % invocations === 0 },
    weights: { rows: Math.ceil(weights / invocations), columns: 1, whole: weights % invocations === 0 },
  };
}

/** Where the invocation loads from, and the operands of the first step. Pixels past the end repeat the last one. */
export function firstLoadLines({ tile, ragged }: Expansion): string {
  const { src, weights } = loadsOf(tile);
  return `let last_pixel = max(pixels, 1u) - 1u;
  ${rowLines(
    src,
    (i) => `let item${i} = local + ${i}u * INVOCATIONS;
  let quad${i} = item${i} % STEP_QUADS;
  let at${i} = (origin + min(item${i} / STEP_QUADS, last_pixel)) * params.src_quads + quad${i};
  var next_a${i} = vec4f();`,
  )}
  ${rowLines(
    weights,
    (j) => `let weight${j} = local + ${j}u * INVOCATIONS;
  let from${j} = weight${j} / QUADS * params.wide_quads + min(first_quad + weight${j} % QUADS, params.wide_quads - 1u);
  var next_b${j} = vec4f();`,
  )}
  ${loadLines({ tile, ragged }, '0u')}`;
}

function loadLines({ tile, ragged }: Expansion, step: string): string {
  const { src, weights } = loadsOf(tile);
  const inside = ragged ? (quads: string): readonly string[] => [`(${quads} < params.src_quads)`] : () => [];
  const load = (name: string, value: string, conditions: readonly string[]): string =>
    conditions.length === 0
      ? `${name} = ${value};`
      : `${name} = vec4f();\n  if (${conditions.join(' & ')}) { ${name} = ${value}; }`;
  const past = `${step} * STEP_QUADS`;
  return `${rowLines(src, (i) => load(`next_a${i}`, `src[at${i} + ${past}]`, inside(`quad${i} + ${past}`)))}
  ${rowLines(weights, (j) => {
    const own =
      weights.whole || j < weights.rows - 1 ? [] : [`(weight${j} < ${4 * tile.quads}u * STEP_QUADS)`];
    const value = `expand_weights[from${j} + 4u * ${past} * params.wide_quads]`;
    return load(`next_b${j}`, value, [...own, ...inside(`weight${j} / ${4 * tile.quads}u + ${past}`)]);
  })}`;
}

/** All steps; leaves `sum<row>_<column>` of the slice behind a barrier. */
export function sumLines(spec: Expansion): string {
  const { tile } = spec;
  const { cell, steps, kQuads } = tile;
  const blockSteps = Math.max(1, Math.floor(BLOCK_QUADS / kQuads));
  const oneBlock = steps <= blockSteps;
  const total = cellLines(
    cell,
    (i, j) => `sum${i}_${j} = sum${i}_${j} + c${i}_${j};\n    c${i}_${j} = vec4f();`,
  );
  return `let slice = local / LANES;
  let lane = local % LANES;
  let tx = lane % TILES_X;
  let ty = lane / TILES_X;
  ${cellLines(cell, (i, j) => `var sum${i}_${j} = vec4f();\n  var c${i}_${j} = vec4f();`)}
  for (var step = 0u; step < ${steps}u; step++) {
    ${placeLines(tile)}
    workgroupBarrier();
    ${steps === 1 ? '' : `if (step < ${steps - 1}u) {\n    ${loadLines(spec, '(step + 1u)')}\n    }`}
    for (var q = 0u; q < K_QUADS; q++) {
      let k = slice * K_QUADS + q;
      ${rowLines(cell, (i) => `let a${i} = tiles[(ty + ${i}u * TILES_Y) * PIXEL_STRIDE + k];`)}
      ${multiplyLines(cell, (lane, j) => `tiles[WEIGHTS_AT + (4u * k + ${lane}u) * QUADS + tx + ${j}u * TILES_X]`)}
    }
    ${oneBlock ? '' : `if (step % ${blockSteps}u == ${blockSteps - 1}u) {\n    ${total}\n    }`}
    workgroupBarrier();
  }
  ${total}`;
}

/** The registers of a step into the tiles. */
function placeLines(tile: MapTile): string {
  const { src, weights } = loadsOf(tile);
  const guarded = (last: boolean, condition: string, line: string): string =>
    last ? `if (${condition}) { ${line} }` : line;
  return `${rowLines(src, (i) =>
    guarded(
      !src.whole && i === src.rows - 1,
      `item${i} < PIXELS * STEP_QUADS`,
      `tiles[item${i} / STEP_QUADS * PIXEL_STRIDE + quad${i}] = next_a${i};`,
    ),
  )}
    ${rowLines(weights, (j) =>
      guarded(
        !weights.whole && j === weights.rows - 1,
        `weight${j} < ${4 * tile.quads}u * STEP_QUADS`,
        `tiles[WEIGHTS_AT + weight${j}] = next_b${j};`,
      ),
    )}`;
}

/** The slices' sums, added in order, with bias and activation into the map. */
export function keepLines(tile: MapTile): string {
  const { cell, slices } = tile;
  if (slices === 1) {
    return cellLines(cell, (i, j) =>
      keepWgsl(`sum${i}_${j}`, `ty + ${i}u * TILES_Y`, `tx + ${j}u * TILES_X`),
    );
  }
  const register = (i: number, j: number): string => `${i * cell.columns + j}u`;
  const terms = Array.from(
    { length: slices },
    (_, slice) => `tiles[(${slice}u * REGISTERS + index) * LANES + lane]`,
  );
  return `${cellLines(cell, (i, j) => `tiles[(slice * REGISTERS + ${register(i, j)}) * LANES + lane] = sum${i}_${j};`)}
  workgroupBarrier();
  for (var n = 0u; n < ${Math.ceil((cell.rows * cell.columns) / slices)}u; n++) {
    // Each register has one slice that adds and keeps it.
    let index = slice + n * SLICES;
    if (index < REGISTERS) {
      let added = ${terms.join(' + ')};
      ${keepWgsl('added', `ty + index / ${cell.columns}u * TILES_Y`, `tx + index % ${cell.columns}u * TILES_X`)}
    }
  }`;
}

/** One vec4 into the map, at its row and column of src past the first of the map. */
function keepWgsl(sum: string, pixel: string, quad: string): string {
  return `{
    let pixel = ${pixel};
    let quad = ${quad};
    // The whole part of pixel / iw: exact below 2^21, half a pixel away from any whole number.
    let row = u32((f32(pixel) + 0.5) * bitcast<f32>(params.iw_inverse));
    let x = pixel - row * params.iw + params.pad_left;
    if ((pixel < pixels) & (x < params.map_width)) {
      map[((u32(row_begin - top) + row) * params.map_width + x) * QUADS + quad] = activate_wide(${sum} + biases[quad]);
    }
  }`;
}
