/**
 * WGSL lines of a register tile, the only place where kernel text is made in loops. A tile is `rows` rows of m and
 * `columns` vec4 of n; its names are literal (`c0_1`), because registers cannot be indexed.
 */
export interface RegisterTile {
  readonly rows: number;
  /** In vec4. */
  readonly columns: number;
}

/** One line a row, `i` substituted by the callback. */
export function rowLines(tile: RegisterTile, line: (row: number) => string): string {
  return Array.from({ length: tile.rows }, (_, row) => line(row)).join('\n');
}

export function columnLines(tile: RegisterTile, line: (column: number) => string): string {
  return Array.from({ length: tile.columns }, (_, column) => line(column)).join('\n');
}

export function cellLines(tile: RegisterTile, line: (row: number, column: number) => string): string {
  return rowLines(tile, (row) => columnLines(tile, (column) => line(row, column)));
}

const LANES = ['x', 'y', 'z', 'w'];

/**
 * Four steps of k: `a<row>` holds src along k, `weightsAt(lane, column)` is the expression of the vec4 of weights;
 * adds into `c<row>_<column>`.
 */
export function multiplyLines(
  tile: RegisterTile,
  weightsAt: (lane: number, column: number) => string,
): string {
  return LANES.map(
    (name, lane) => `{
${columnLines(tile, (column) => `let b${column} = ${weightsAt(lane, column)};`)}
${cellLines(tile, (row, column) => `c${row}_${column} = fma(vec4f(a${row}.${name}), b${column}, c${row}_${column});`)}
}`,
  ).join('\n');
}

/**
 * One step of k over operands that lie with k outermost: `rowsAt(q)` is the expression of rows 4q to 4q + 3 of src,
 * `weightsAt(column)` that of a vec4 of weights; adds into `c<row>_<column>`.
 */
export function outerProductLines(
  tile: RegisterTile,
  rowsAt: (rowQuad: number) => string,
  weightsAt: (column: number) => string,
): string {
  const rowQuads: RegisterTile = { rows: tile.rows / 4, columns: 1 };
  return `{
${rowLines(rowQuads, (row) => `let a${row} = ${rowsAt(row)};`)}
${columnLines(tile, (column) => `let b${column} = ${weightsAt(column)};`)}
${cellLines(tile, (row, column) => `c${row}_${column} = fma(vec4f(a${Math.floor(row / 4)}[${row % 4}]), b${column}, c${row}_${column});`)}
}`;
}
