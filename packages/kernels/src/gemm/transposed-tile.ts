/**
 * WGSL of a register-tiled product over workgroup memory: where the tile of A lies, transposed, and which cell each lane
 * makes. Both follow from how a GPU's warp of 32 lanes reaches workgroup memory: 32 banks of four bytes, 16 bytes a lane
 * for half a warp at a time, once for lanes that read the same vec4.
 */

/** Lanes whose reads of workgroup memory are served together. */
const WARP = 32;
/** By how many vec4 the upper two of four quads of terms lie further, see `keepTransposedLines`. */
const SHIFT = 2;

/** vec4 of a row of A: the rows of one term in fours, room for the shift, and one against bank conflicts. */
export function transposedRow(rows: number): number {
  return rows / 4 + SHIFT + 1;
}

/** Index of a vec4 in the row of term `k`, a constant. */
export function transposedQuad(k: number, quad: string): string {
  return (k >> 3) % 2 === 0 ? quad : `${quad} + ${SHIFT}u`;
}

/**
 * Four terms of one row of A, in a register, into the tile: `quad` counts the terms of the step in fours. Lanes of a warp
 * hold eight rows of four quads; quads 0 and 1 are 16 banks apart, 2 and 3 would meet them again without the shift.
 */
export function keepTransposedLines(
  tile: string,
  { quad, row, register }: { readonly quad: string; readonly row: string; readonly register: string },
): string {
  const at = `(${row}) / 4u + ${SHIFT}u * ((${quad} >> 1u) & 1u)`;
  return [0, 1, 2, 3]
    .map((term) => `${tile}[4u * ${quad} + ${term}u][${at}][(${row}) % 4u] = ${register}[${term}];`)
    .join('\n');
}

/**
 * Declares `tx` and `ty`, the cell of `lane` in a grid of x by y. A warp takes 8 by 4 of them, or 4 by 8: then lanes i and
 * i ^ 1 read the same vec4 of A, i and i ^ 2 the same of B, and half a warp's read is one access instead of two or four.
 * Grids that warps do not fill are cut into 2 by 2 for the same.
 */
export function lanePlaceLines(lane: string, { x, y }: { readonly x: number; readonly y: number }): string {
  const across = x % 8 === 0 ? 8 : 4;
  const down = WARP / across;
  if (x % across === 0 && y % down === 0) {
    const [left, top] =
      across === 8
        ? ['((bits >> 1u) & 6u)', '((bits >> 3u) & 2u)']
        : ['((bits >> 1u) & 2u)', '((bits >> 2u) & 6u)'];
    return `let warp = ${lane} / ${WARP}u;
let bits = ${lane} % ${WARP}u;
let tx = warp % ${x / across}u * ${across}u + (bits & 1u) + ${left};
let ty = warp / ${x / across}u * ${down}u + ((bits >> 1u) & 1u) + ${top};`;
  }
  if (x % 2 !== 0 || y % 2 !== 0) return `let tx = ${lane} % ${x}u;\nlet ty = ${lane} / ${x}u;`;
  return `let piece = ${lane} / 4u;
let tx = piece % ${x / 2}u * 2u + ${lane} % 2u;
let ty = piece / ${x / 2}u * 2u + ${lane} / 2u % 2u;`;
}
