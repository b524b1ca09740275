/**
 * A transposed tile of src for lanes that take 2 by 2 cells: [quad of terms][4 terms][rows / 4], where component c of vec4 v
 * is row v + c * rows / 4, and how loads get there without meeting in a bank (see `gemm/transposed-tile.ts`).
 */

/** vec4 that lie across all banks. */
const BANK_QUADS = 8;

/**
 * vec4 between the quads of terms of a tile whose steps have `stepQuads` of them and whose rows are a multiple of all banks.
 * A warp stores four rows of eight neighbouring (row, quad) pairs, see `transposedLoadLines`: with the shift they lie in
 * 32 banks, or some of them two in a bank where a row ends.
 */
export function quadShift(stepQuads: number): number {
  // Odd shifts part eight quads; that whose product with an odd `stepQuads` is 1 more than eights also parts rows.
  if (stepQuads % 2 === 1) return stepQuads % BANK_QUADS;
  return BANK_QUADS % stepQuads === 0 ? BANK_QUADS / stepQuads : 1;
}

/**
 * Declares what load `item` of a step takes: `quad` of the step's `stepQuads`, for the row that is component `part` of
 * vec4 `row` of the `rowQuads` in a term. Component c of vec4 v is row v + c * rowQuads: neighbouring cells then are
 * neighbouring rows. Loads run along quads, 128 bytes where the counts allow it.
 */
export function transposedLoadLines(
  index: number,
  {
    item,
    rowQuads,
    stepQuads,
  }: { readonly item: string; readonly rowQuads: number; readonly stepQuads: number },
): string {
  const run = [8, 4, 2].find((length) => (rowQuads * stepQuads) % length === 0) ?? 1;
  return `let pair${index} = ${item} / ${4 * run}u * ${run}u + ${item} % ${run}u;
  let part${index} = ${item} / ${run}u % 4u;
  let quad${index} = pair${index} % ${stepQuads}u;
  let row${index} = pair${index} / ${stepQuads}u;`;
}

/** The four terms of load `index`, in `register`, into the tile. */
export function keepQuadLines(
  index: number,
  {
    tile,
    rowQuads,
    stepQuads,
    register,
  }: {
    readonly tile: string;
    readonly rowQuads: number;
    readonly stepQuads: number;
    readonly register: string;
  },
): string {
  const quadStride = 4 * rowQuads + quadShift(stepQuads);
  return [0, 1, 2, 3]
    .map(
      (term) =>
        `${tile}[quad${index} * ${quadStride}u + ${term * rowQuads}u + row${index}][part${index}] = ${register}[${term}];`,
    )
    .join('\n');
}

/** How many cells behind the first row of an invocation its `row` lies, of `rows`: component `row % 4` of vec4 `row / 4`. */
export function transposedCells(rows: number, row: string): string {
  return `(${row} / 4u + ${row} % 4u * ${rows / 4}u)`;
}
